/**
 * A page that has not changed since an earlier run has no body: what its walk needs of it is stored with its
 * validators, and the pagination decides by that as by a page that was read. docs/decisions/066.
 */
import { type ExactObject, emptyObject, fromPlain, isArray, isNumber, isObject } from '../../core/json/exact.js';
import type { Captured, KnownPage, Revalidated, Validators } from '../../core/model/page.js';
import { defined } from '../../core/util/defined.js';
import type { HttpResponse } from '../../http/types.js';
import type { PageResult } from '../../page/page-result.js';

/** A page that the next run can ask for again, as the journal stores it. */
export interface ValidatedPage {
  /** Names its request. */
  readonly key: string;
  readonly facts: ExactObject;
}

/**
 * Undefined: the next run must request the page whole, as it has no validators, or as some of its items may not have
 * reached the sink: it was cut, or says that it failed, or has items that a later run asks for again.
 */
export function validatedPage(read: PageResult, count: number): ValidatedPage | undefined {
  const { revalidated, repeated, isFailed, verdict, cut, found, followed } = read;
  if (revalidated === undefined) return undefined;
  const { key, facts } = revalidated;
  if (facts !== undefined) return { key, facts };
  const isWhole = !repeated && !isFailed && verdict === undefined && cut === 0;
  const isDelivered = isWhole && kinds.has(found) && (followed?.reached.beyond ?? 0) === 0;
  return isDelivered ? { key, facts: factsOf(read, revalidated, count) } : undefined;
}

/** What a page with items has at their place. */
const kinds: ReadonlySet<string> = new Set(['list', 'object', 'scalar']);

/** `count`: the items of the page, those included that an earlier run had. */
function factsOf(read: PageResult, { validators }: Revalidated, count: number): ExactObject {
  const { received, found, envelope, headers, address, volume, memo } = read;
  const captured = [...envelope].flatMap(([path, { value }]) => (value === undefined ? [] : [[path, value] as const]));
  const plain = { ...validators, count, received, found, address, volume };
  return new Map([
    ...Object.entries(plain).map(([name, value]) => [name, fromPlain(value)] as const),
    ['envelope', new Map(captured)],
    ['headers', headers],
    ...(memo === undefined ? [] : [['memo', memo] as const]),
  ]);
}

/** The page of an earlier run; undefined: it has no validators. */
export function knownPage(facts: ExactObject): KnownPage | undefined {
  const [etag, lastModified] = [textIn(facts, 'etag'), textIn(facts, 'lastModified')];
  const validators: Validators = defined({ etag, lastModified });
  return etag === undefined && lastModified === undefined ? undefined : { validators, facts };
}

/** The items of a page that has not changed. */
export const countIn = (facts: ExactObject | undefined): number => (facts === undefined ? 0 : numberIn(facts, 'count'));

/** The result of a page that has not changed: none of its items. Undefined: the response has a body. */
export function unchangedPage({ revalidated }: Pick<HttpResponse, 'revalidated'>): PageResult | undefined {
  if (revalidated?.facts === undefined) return undefined;
  const { facts, key } = revalidated;
  const found = textIn(facts, 'found');
  return {
    count: 0,
    bytes: 0,
    found: found === 'object' || found === 'scalar' ? found : 'list',
    pathMiss: { beside: [] },
    envelope: new Map(
      [...membersIn(facts, 'envelope')].map(([path, value]): [string, Captured] => [path, { value, beside: [] }]),
    ),
    // No other page has it, unless it answers the same request: that is a loop.
    chain: [BigInt(`0x${key.slice(0, 16)}`)],
    itemsDigest: undefined,
    repeated: false,
    received: numberIn(facts, 'received'),
    cut: 0,
    volume: numberIn(facts, 'volume'),
    memo: facts.get('memo'),
    followed: undefined,
    rows: undefined,
    lists: [],
    address: textIn(facts, 'address') ?? '',
    headers: new Map(
      [...membersIn(facts, 'headers')].map(([name, values]) => [name, isArray(values) ? values.map(String) : []]),
    ),
    error: undefined,
    verdict: undefined,
    shifted: 0,
    isApart: false,
    isPastEnd: false,
    sha256: undefined,
    isFailed: false,
    revalidated,
    isCached: false,
    loginNames: new Set(),
  };
}

function textIn(facts: ExactObject, name: string): string | undefined {
  const value = facts.get(name);
  return typeof value === 'string' ? value : undefined;
}

function numberIn(facts: ExactObject, name: string): number {
  const value = facts.get(name) ?? null;
  return isNumber(value) ? Number(value.text) : 0;
}

function membersIn(facts: ExactObject, name: string): ExactObject {
  const value = facts.get(name);
  return isObject(value) ? value : emptyObject;
}
