/** The methods of pagination that `init` tries, each as a search for a candidate that leads to a second page. */
import { type Exact, type ExactObject, fromPlain, isObject } from '../../core/json/exact.js';
import { type BesideValue, isLink } from './evidence.js';
import { findTimes, textAt } from './find-key.js';
import { delimiterFor } from './find-lists.js';
import { afterIdNames, cursorNames, namesForToken, offsetNames, pageNames, sinceNames } from './known-names.js';
import type { Probe } from './prober.js';
import {
  ask,
  findName,
  idsOf,
  isPlainName,
  isRejected,
  type PagingCandidate,
  prove,
  type Search,
  sizeParams,
} from './trials.js';

/** A method that was proven. */
export interface FoundMethod extends PagingCandidate {
  /** The pagination needs a page size that the API gives, since a shorter page ends it. */
  readonly endsShort: boolean;
  readonly certainty: 'proven' | 'likely';
}

const object = (plain: object): ExactObject => fromPlain(plain) as ExactObject; // of an object

/** Returns the first candidate that leads to a second page. */
export async function firstProven(
  search: Search,
  candidates: readonly PagingCandidate[],
  endsShort = false,
): Promise<FoundMethod | undefined> {
  for (const candidate of candidates) {
    if (search.prober.isExhausted()) return undefined;
    if ((await prove(search, candidate)) !== undefined) return { ...candidate, endsShort, certainty: 'proven' };
  }
  return undefined;
}

const more = (search: Search, pagination: object, what: string): PagingCandidate => ({
  pagination: object(pagination),
  params: sizeParams(search),
  what,
});

/** `Link: <...>; rel="next"`. */
export const byLinkHeader = (search: Search) =>
  search.evidence.header === undefined
    ? undefined
    : firstProven(search, [more(search, { method: 'link-header' }, 'the header Link')]);

/** `X-Next-Page-Url: https://...`. */
export const byOtherLinkHeader = (search: Search) => {
  const { linkHeader } = search.evidence;
  if (linkHeader === undefined) return undefined;
  const { name } = linkHeader;
  return firstProven(search, [more(search, { method: 'link-header', header: name }, `the link in the header ${name}`)]);
};

/** A link in the body. */
export function byNextLink(search: Search) {
  const candidates = search.evidence.links.slice(0, 3).map(({ path, value }) => {
    const delimiter = delimiterFor(path);
    const isBare = !isLink(String(value)) || String(value).startsWith('?');
    const pagination = {
      method: 'response.url',
      urlKey: path.join(delimiter),
      ...(delimiter === '.' ? {} : { delimiter }),
      ...(isBare ? { paramIsQuery: true, includeParams: true } : {}),
    };
    return more(search, pagination, `the link at "${path.join('.')}"`);
  });
  return firstProven(search, candidates);
}

/** A value of the body that the next request sends. */
export async function byToken(search: Search): Promise<FoundMethod | undefined> {
  for (const token of search.evidence.tokens.slice(0, 3)) {
    const candidate = (name: string) => tokenCandidate(search, token, name);
    const found = isGraphQl(search) ? await byGraphQl(search, token) : await byTokenName(search, token, candidate);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A header whose value the next request sends: `X-Next-Cursor`. */
export function byCursorHeader(search: Search): Promise<FoundMethod | undefined> | undefined {
  const { cursorHeader: found } = search.evidence;
  if (found === undefined) return undefined;
  const [known = found.name] = /(?:next|continuation|cursor)[\w-]*$/i.exec(found.name) ?? [];
  const name = known.replaceAll('-', '_');
  return byTokenName(search, { ...found, name }, (queryParam) =>
    more(
      search,
      { method: 'response.header', header: found.name, queryParam, includeParams: true },
      `the header ${found.name}, sent as "${queryParam}"`,
    ),
  );
}

async function byTokenName(
  search: Search,
  token: BesideValue,
  candidate: (name: string) => PagingCandidate,
): Promise<FoundMethod | undefined> {
  const pages = /^[12]$/.test(String(token.value)) ? ['page', '_page'] : [];
  const likely = namesForToken(token.name, [...(search.hints.cursor ?? []), ...pages]);
  const found = await firstProven(search, likely.slice(0, 3).map(candidate));
  if (found !== undefined) return found;
  const others = [...likely.slice(3), ...cursorNames].filter((name) => !likely.slice(0, 3).includes(name));
  const value = token.isNumber ? fromPlain(Number(token.value)) : token.value;
  const name = await findSharedName(search, others, value, areOthers(search));
  return name === undefined ? undefined : firstProven(search, [candidate(name)]);
}

/** Some APIs state a cursor on the last page too, with a flag that says that it is the last. */
const endByFlag = ({ evidence: { more: field } }: Search) =>
  field === undefined ? {} : { nextPageFlag: { field, stopOn: false } };

const tokenCandidate = (search: Search, { path }: BesideValue, name: string): PagingCandidate =>
  more(
    search,
    {
      method: 'response.param',
      responseParam: path.join('.'),
      queryParam: name,
      includeParams: true,
      ...endByFlag(search),
    },
    `the value at "${path.join('.')}", sent as "${name}"`,
  );

/**
 * One value under all names at once, then under thirds of them: only more requests separate them. An API
 * that rejects unknown names is asked for the first ones alone.
 */
async function findSharedName(search: Search, names: readonly string[], value: Exact, accepts: AcceptIds) {
  const probeOf = (tested: readonly string[]) =>
    ask(search, { params: new Map([...sizeParams(search), ...tested.map((name) => [name, value] as const)]) });
  const isAccepted = (probe: Probe) => probe.failure === undefined && accepts(idsOf(probe, search));
  let left = names.filter((name) => name !== search.size?.name);
  let all = await probeOf(left);
  if (isRejected(all) && !left.every(isPlainName)) {
    left = left.filter(isPlainName);
    all = await probeOf(left);
  }
  if (isRejected(all)) {
    for (const name of left.slice(0, 3)) if (isAccepted(await probeOf([name]))) return name;
    return undefined;
  }
  if (!isAccepted(all)) return undefined;
  while (left.length > 1 && !search.prober.isExhausted()) {
    const part = left.slice(0, Math.ceil(left.length / 3));
    left = isAccepted(await probeOf(part)) ? part : left.slice(part.length);
  }
  return left[0];
}

type AcceptIds = (ids: readonly string[]) => boolean;

/** There are items, and none of them is on the first page. */
const areOthers =
  ({ ids, size }: Search): AcceptIds =>
  (got) =>
    got.length > 0 && !got.some((id) => ids.slice(0, size?.value).includes(id));

/** Whether the body of the request is a query of GraphQL. */
export const isGraphQl = ({ draft: { method, params } }: Search): boolean =>
  method === 'POST' && typeof params.get('query') === 'string' && String(params.get('query')).includes('{');

/** The variable is the one that the query passes as `after`. */
async function byGraphQl(search: Search, { path }: BesideValue): Promise<FoundMethod | undefined> {
  const variable = /\b(?:after|cursor|offset|page)\s*:\s*\$(\w+)/.exec(String(search.draft.params.get('query')))?.[1];
  if (variable === undefined) {
    search.say(`the value at "${path.join('.')}": the query has no variable for it; write \`after: $after\` into it`);
    return undefined;
  }
  const flag = search.evidence.more;
  const pagination = {
    method: 'response.param',
    responseParam: path.join('.'),
    queryParam: ['variables', variable],
    includeParams: true,
    ...(flag === undefined ? {} : { nextPageFlag: { field: flag, stopOn: false } }),
  };
  const candidate = {
    pagination: object(pagination),
    what: `the value at "${path.join('.')}" as the variable "${variable}"`,
  };
  return firstProven(search, [candidate]);
}

/** Page numbers. */
export async function byPage(search: Search): Promise<FoundMethod | undefined> {
  const names = rankedNames(search, search.hints.page, pageNames);
  const found = search.size === undefined ? await pageNameAlone(search, names) : await pageNameAtOnce(search, names);
  if (found === undefined) {
    search.say(`page numbers: no, none of ${names.length} names has an effect`);
    return undefined;
  }
  const { size } = search;
  for (const firstPage of found.firstPage) {
    const pagination = {
      method: 'pagenum',
      pageParam: found.name,
      ...(firstPage === 1 ? {} : { firstPage }),
      ...(size === undefined ? {} : { limitParam: size.name, limit: size.value }),
    };
    const what = `page numbers in "${found.name}" from ${firstPage}`;
    const proven = await firstProven(search, [{ pagination: object(pagination), what }], size !== undefined);
    if (proven !== undefined) return proven;
  }
  return found.isAlone === true && (await isOnlyPage(search, found.name)) ? likelyPages(search, found.name) : undefined;
}

interface PageName {
  readonly name: string;
  /** The numbers that the first page may have, the likeliest first. */
  readonly firstPage: readonly (0 | 1)[];
  /** It was tested without a page size: page 2 may be empty. */
  readonly isAlone?: boolean;
}

/** Pages of one item, each name with a number of its own: the item shows the name, and what the first page is. */
async function pageNameAtOnce(search: Search, names: readonly string[]): Promise<PageName | undefined> {
  const { ids, size } = search;
  let firstPage: 0 | 1 = 1;
  const numberOf = (index: number) => 2 * index + 2;
  const name = await findName(search, {
    names,
    most: Math.floor((ids.length - 1) / 2),
    params: (tested) =>
      new Map([
        [size?.name ?? '', fromPlain(1)],
        ...tested.map((each, index) => [each, fromPlain(numberOf(index))] as const),
      ]),
    read: (trial, tested) => {
      const at = ids.indexOf(idsOf(trial, search)[0] ?? '');
      if (at < 1) return undefined;
      firstPage = at % 2 === 1 ? 1 : 0;
      const index = firstPage === 1 ? (at - 1) / 2 : (at - 2) / 2;
      return index < tested.length ? index : undefined;
    },
  });
  return name === undefined ? undefined : { name, firstPage: [firstPage, firstPage === 1 ? 0 : 1] };
}

/** Without a page size: page 2, which must not be the first page. An empty one shows that the API knows the name. */
async function pageNameAlone(search: Search, names: readonly string[]): Promise<PageName | undefined> {
  const isNew = (got: readonly string[]) => !got.some((id) => search.ids.includes(id));
  const name = await findSharedName(search, names, fromPlain(2), isNew);
  return name === undefined ? undefined : { name, firstPage: [1, 0], isAlone: true };
}

/** Page 1 is the list, and page 2 is empty. */
async function isOnlyPage(search: Search, name: string): Promise<boolean> {
  const page = async (number: number) => ask(search, { params: new Map([[name, fromPlain(number)]]) });
  const [first, second] = [await page(1), await page(2)];
  const isEmpty = second.failure === undefined && second.pages[0]?.items.length === 0;
  return isEmpty && idsOf(first, search)[0] === search.ids[0];
}

/** The list has one page: nothing more can be seen. */
function likelyPages(search: Search, name: string): FoundMethod {
  search.say(`page numbers in "${name}": likely, a later page is empty, and there is no second one to compare`);
  return {
    pagination: object({ method: 'pagenum', pageParam: name }),
    what: `page numbers in "${name}"`,
    endsShort: false,
    certainty: 'likely',
  };
}

/**
 * The number of items to skip, or that of the first item, as `startIndex` of SCIM counts from 1. Each name has a value
 * of its own, so the first item is that of one name or the next.
 */
export async function byOffset(search: Search): Promise<FoundMethod | undefined> {
  const { ids } = search;
  const names = rankedNames(search, search.hints.offset, offsetNames);
  let next: string | undefined;
  const name = await findName(search, {
    names,
    most: ids.length - 2,
    params: (tested) =>
      new Map([...sizeParams(search), ...tested.map((each, at) => [each, fromPlain(at + 2)] as const)]),
    read: (trial, tested) => {
      const at = ids.indexOf(idsOf(trial, search)[0] ?? '');
      if (at < 1 || at > tested.length + 1) return undefined;
      next = tested[at - 1];
      return Math.max(0, at - 2);
    },
  });
  if (name === undefined) {
    search.say(`offsets: no, none of ${names.length} names has an effect`);
    return undefined;
  }
  const fromOne = next === undefined ? [] : [offsetFrom(search, next, 1)];
  const candidates = [offsetFrom(search, name, 0), ...fromOne];
  return firstProven(search, /index/i.test(next ?? '') ? candidates.reverse() : candidates, true);
}

function offsetFrom({ size, ids }: Search, name: string, first: 0 | 1): PagingCandidate {
  const limit = size?.value ?? ids.length;
  const pagination = { method: 'offset', offsetParam: name, limitParam: size?.name ?? 'limit', limit };
  if (first === 0) return { pagination: object(pagination), what: `offsets in "${name}"` };
  const what = `offsets in "${name}", which counts from 1`;
  return { pagination: object({ ...pagination, offsetFromJob: true }), params: object({ [name]: 1 }), what };
}

/** The items after the key of the last one, or since its time. */
export async function byKeyset(search: Search): Promise<FoundMethod | undefined> {
  const fields = [...(search.key === undefined ? [] : [search.key]), ...findTimes(search.first.items).slice(0, 1)];
  for (const field of fields) {
    const names = field === search.key ? [...(search.hints.cursor ?? []), ...afterIdNames] : sinceNames;
    const found = await keysetName(search, field, names);
    if (found === undefined) search.say(`items after "${field}": no, none of ${names.length} names has an effect`);
    else {
      const proven = await provenKeyset(search, field, found);
      if (proven !== undefined) return proven;
    }
  }
  return undefined;
}

interface KeysetName {
  readonly name: string;
  readonly isInclusive: boolean;
}

/** Each name with another key of the list: the first key of the answer shows the name. */
async function keysetName(search: Search, field: string, names: readonly string[]): Promise<KeysetName | undefined> {
  const keys = new Map<string, Exact>();
  for (const item of search.first.items) {
    const key = isObject(item) ? item.get(field) : undefined;
    if (key !== undefined && !keys.has(textAt(item, field) ?? '')) keys.set(textAt(item, field) ?? '', key);
  }
  const [texts, values] = [[...keys.keys()], [...keys.values()]];
  let isInclusive = false;
  const name = await findName(search, {
    names: names.filter((each) => each !== search.size?.name),
    most: Math.floor((values.length - 1) / 2),
    params: (tested) =>
      new Map([...sizeParams(search), ...tested.map((each, at) => [each, values[2 * at + 1] ?? null] as const)]),
    read: ({ pages: [page] }, tested) => {
      const at = texts.indexOf(textAt(page?.items[0] ?? null, field) ?? '');
      isInclusive = at % 2 === 1;
      const index = Math.floor((at - 1) / 2);
      return at >= 1 && index < tested.length ? index : undefined;
    },
  });
  return name === undefined ? undefined : { name, isInclusive };
}

async function provenKeyset(search: Search, field: string, { name, isInclusive }: KeysetName) {
  const { size, evidence } = search;
  const isRepeating = isInclusive || search.key !== field;
  const parts = {
    method: 'keyset',
    field,
    param: name,
    ...(size === undefined ? {} : { limitParam: size.name, limit: isRepeating ? Math.max(2, size.value) : size.value }),
    ...(evidence.more === undefined ? {} : { moreField: evidence.more.join('.') }),
  };
  const pagination = object(isInclusive ? { ...parts, inclusive: true } : parts);
  const what = `items after the last "${field}", sent as "${name}"`;
  return firstProven(search, [{ pagination, what }], size !== undefined && evidence.more === undefined);
}

/** Names of the source, names that the answer repeats, and the table. */
function rankedNames(
  { evidence, size }: Search,
  hinted: readonly string[] = [],
  table: readonly string[],
): readonly string[] {
  const echoed = evidence.figures.map(({ name }) => name).filter((name) => table.includes(name));
  return [...new Set([...hinted, ...echoed, ...table])].filter((name) => name !== size?.name);
}
