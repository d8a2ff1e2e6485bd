/** Asks an API for pages in the ways that a configuration could, and compares what it gets with the first page. */
import { type Exact, type ExactObject, emptyObject, fromPlain } from '../../core/json/exact.js';
import { configOf, type Draft } from './draft.js';
import type { Evidence } from './evidence.js';
import { identify, orderOf } from './find-key.js';
import type { PagingHints } from './found-request.js';
import type { Probe, Prober, TrialPage } from './prober.js';

/** What is known while pagination is searched. */
export interface Search {
  readonly prober: Prober;
  readonly draft: Draft;
  readonly dataField: Exact | undefined;
  /** The first page, as the request gives it. */
  readonly first: TrialPage;
  readonly ids: readonly string[];
  readonly key: string | undefined;
  readonly evidence: Evidence;
  readonly hints: PagingHints;
  /** The parameter for the page size with a small size. */
  readonly size?: SizeParameter;
  /** Reports what was tried, one line each. */
  say(line: string): void;
}

export interface SizeParameter {
  readonly name: string;
  readonly value: number;
}

/** A method of pagination to try. */
export interface PagingCandidate {
  readonly pagination: ExactObject;
  /** Parameters of the job, beside those of the request. */
  readonly params?: ExactObject;
  /** What messages call it. */
  readonly what: string;
}

/** A candidate that led to a second page. */
export interface Proof {
  readonly items: number;
  /** The items of both pages have one order. */
  readonly isOrdered: boolean;
}

/** Runs the draft with these parameters and this pagination. */
export function ask(
  { prober, draft, dataField }: Search,
  { params = emptyObject, pagination }: { readonly params?: ExactObject; readonly pagination?: ExactObject },
  pages = 1,
): Promise<Probe> {
  const found = { params, ...(dataField === undefined ? {} : { dataField }) };
  return prober.run(configOf(draft, pagination === undefined ? found : { ...found, pagination }), pages);
}

/** The page size as a parameter of the job. */
export const sizeParams = ({ size }: Pick<Search, 'size'>): ExactObject =>
  size === undefined ? emptyObject : new Map([[size.name, fromPlain(size.value)]]);

/** The identities of the items of the only page of a trial; empty: there is none. */
export const idsOf = ({ pages: [page] }: Probe, { key }: Pick<Search, 'key'>): readonly string[] =>
  identify(page?.items ?? [], key);

/**
 * Requests two pages, and says whether the candidate is right: the first page begins as the list does, the second has
 * items, and none of them is on the first.
 */
export async function prove(search: Search, { pagination, params, what }: PagingCandidate): Promise<Proof | undefined> {
  const trial = await ask(search, { pagination, ...(params === undefined ? {} : { params }) }, 2);
  const [first, second] = trial.pages;
  const reason = whyNot(search, trial);
  if (reason !== undefined || first === undefined || second === undefined) {
    search.say(`${what}: no, ${reason ?? 'there is no second page'}`);
    return undefined;
  }
  const all = [...first.items, ...second.items];
  const isOrdered = search.key !== undefined && orderOf(all, search.key) !== 'none';
  const order = isOrdered ? `, in the same order of "${search.key}"` : '';
  search.say(`${what}: yes, the second page has ${count(second.items.length)}, none of them on the first${order}`);
  return { items: second.items.length, isOrdered };
}

const count = (items: number): string => `${items} ${items === 1 ? 'item' : 'items'}`;

function whyNot({ key, ids, prober }: Search, { pages: [first, second], failure, last }: Probe): string | undefined {
  if (failure !== undefined)
    return prober.isExhausted() ? 'no request is left' : describeFailure(failure.code, last?.status);
  if (first === undefined) return 'there is no first page';
  const firstIds = identify(first.items, key);
  if (!firstIds.includes(ids[0] ?? '')) return 'its first page does not begin as the list does';
  if (second === undefined) return 'it leads to no second page';
  if (second.items.length === 0) return 'the second page has no items, or is the first again';
  const known = new Set(firstIds);
  const again = identify(second.items, key).filter((id) => known.has(id)).length;
  return again === 0 ? undefined : `the second page has ${count(again)} of the first`;
}

/** A failure in a few words. */
export const describeFailure = (code: string, status: number | undefined): string =>
  code === 'ERR_STATUS' && status !== undefined ? `status ${status}` : code;

/** Whether an API has rejected a request for its parameters. */
export const isRejected = ({ failure, last }: Probe): boolean =>
  failure !== undefined && last !== undefined && last.status >= 400;

export interface NameTest {
  readonly names: readonly string[];
  /** How many names one request can distinguish. */
  readonly most: number;
  /** The parameters that test these names at once. */
  params(names: readonly string[]): ExactObject;
  /** The index among these names of the one that had an effect; undefined: none. */
  read(trial: Probe, names: readonly string[]): number | undefined;
}

/** The most requests of one test of names. */
const mostRounds = 5;
/** How many names are tested alone, if an API does not take unknown names. */
const mostAlone = 3;

/**
 * Finds the name that an API knows: several names in one request, each with another value. An API that rejects unknown
 * names, or filters its items by them, is asked without names such as `page[size]`, and then for single names.
 */
export async function findName(search: Search, { names, most, params, read }: NameTest): Promise<string | undefined> {
  let left: readonly string[] = [...new Set(names)];
  let size = Math.max(1, most);
  for (let round = 0; round < mostRounds && left.length > 0 && !search.prober.isExhausted(); round += 1) {
    const tested = left.slice(0, size);
    const probe = await ask(search, { params: params(tested) });
    if (size > 1 && tested.length > 1 && (isRejected(probe) || probe.pages[0]?.items.length === 0)) {
      const plain = left.filter(isPlainName);
      if (tested.every(isPlainName)) [left, size] = [left.slice(0, mostAlone), 1];
      else left = plain;
      continue;
    }
    const found = probe.failure === undefined ? read(probe, tested) : undefined;
    if (found !== undefined) return tested[found];
    left = left.slice(size);
  }
  return undefined;
}

/** A name without brackets and other signs, which some servers cannot read. */
export const isPlainName = (name: string): boolean => /^\w+$/.test(name);
