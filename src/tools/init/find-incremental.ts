/**
 * Finds what the next run can ask for: a member whose values grow, and the parameter by which the API leaves out what
 * is below one. It is proven by a request with a value of the items. docs/decisions/063.
 */
import { type Exact, type ExactNumber, type ExactObject, isNumber, isObject } from '../../core/json/exact.js';
import { type Distance, lessBy } from '../../incremental/distance.js';
import { compareValues, type OrderedValue, orderedValue } from '../../incremental/ordered-value.js';
import { identify } from './find-key.js';
import { growingForms, isSinceName, sinceNamesFor } from './known-names.js';
import { isGraphQl } from './paging-methods.js';
import { ask, describeFailure, findName, type Search } from './trials.js';

export interface FoundIncremental {
  /** The value of `incremental` of the job. */
  readonly incremental: ExactObject;
  /** The path of the value. */
  readonly path: string;
  readonly param: string;
  /** What else the user has to know, a sentence each. */
  readonly notes: readonly string[];
}

/** A member of all items, with at least two values. */
interface Growing {
  readonly path: string;
  readonly values: readonly OrderedValue[];
  /** Each once, ascending. */
  readonly distinct: readonly OrderedValue[];
  /** It only says when an item was made. */
  readonly isOfCreation: boolean;
}

/** Undefined: nothing suggests one, or none was proven; then it has said why. */
export async function findIncremental(search: Search): Promise<FoundIncremental | undefined> {
  const [growing] = growingMembers(search.first.items);
  if (growing === undefined || isGraphQl(search) || search.prober.isExhausted()) return undefined;
  const param = await findParam(search, growing);
  if (param === undefined) {
    search.say(`incremental: no, "${growing.path}" grows, but no known parameter leaves out items below a value`);
    return undefined;
  }
  const proof = await proven(search, growing, param);
  if (typeof proof !== 'string') return foundOf(search, growing, param, proof.lookback);
  search.say(`incremental: no, "${growing.path}" by "${param}": ${proof}`);
  return undefined;
}

/** Members that usually grow when an item changes, before those of its creation. */
function growingMembers(items: readonly Exact[]): readonly Growing[] {
  const paths = pathsOf(items[0]).flatMap((path) => {
    const rank = growingForms.findIndex((form) => form.test(path.at(-1) ?? ''));
    return rank < 0 ? [] : [{ path, rank }];
  });
  paths.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length);
  return paths.flatMap(({ path, rank }) => {
    const values = items.flatMap((item) => valueAt(item, path) ?? []);
    const orders = new Set(values.map(({ order }) => order));
    const distinct = ascending(values);
    const isOne = orders.size === 1 && !orders.has('text');
    if (values.length < items.length || !isOne || distinct.length < 2) return [];
    return [{ path: path.join('.'), values, distinct, isOfCreation: rank === growingForms.length - 1 }];
  });
}

/** Members, and members of members: names with dots cannot be part of a path. */
const pathsOf = (item: Exact | undefined): readonly (readonly string[])[] =>
  !isObject(item)
    ? []
    : [...item]
        .flatMap(([name, value]) => [[name], ...(isObject(value) ? [...value.keys()].map((each) => [name, each]) : [])])
        .filter((path) => !path.some((name) => name.includes('.')));

function valueAt(item: Exact, path: readonly string[]): OrderedValue | undefined {
  const value = path.reduce<Exact | undefined>((at, name) => (isObject(at) ? at.get(name) : undefined), item);
  return orderedValue(value);
}

function ascending(values: readonly OrderedValue[]): readonly OrderedValue[] {
  const sorted = [...values].sort(compareValues);
  return sorted.filter((value, index) => index === 0 || compareValues(sorted[index - 1] ?? value, value) < 0);
}

/** The parameter: one that the request or a document names, or else one of the usual names that has an effect. */
function findParam(search: Search, { path, distinct }: Growing): Promise<string | undefined> {
  const named = [...givenNames(search), ...(search.hints.since ?? [])];
  // Every other value: a parameter that excludes its value is not taken for the next one.
  const tested = distinct.filter((_, index) => index % 2 === 1);
  const isPost = search.draft.method !== undefined;
  const usual = named.length > 0 || isPost ? [] : sinceNamesFor(path).slice(0, mostTests * tested.length);
  return findName(search, {
    names: [...named, ...usual],
    most: tested.length,
    params: (names) => new Map(names.flatMap((name, index) => [[name, tested[index]?.sent ?? null]])),
    read(trial, names) {
      const values = trial.pages[0]?.items.flatMap((item) => valueAt(item, path.split('.')) ?? []) ?? [];
      const [lowest] = ascending(values);
      if (lowest === undefined) return undefined;
      const found = tested.slice(0, names.length).findLastIndex((value) => compareValues(value, lowest) <= 0);
      return found < 0 ? undefined : found;
    },
  });
}

/** How many requests test the usual names. */
const mostTests = 2;

const givenNames = ({ draft: { params } }: Search): readonly string[] =>
  [...params].flatMap(([name, value]) => (isSinceName(name) && isScalar(value) ? [name] : []));

const isScalar = (value: Exact): value is string | ExactNumber => typeof value === 'string' || isNumber(value);

interface IncrementalProof {
  /** The API leaves out items with exactly the value, so the next run has to ask from before it. */
  readonly lookback?: string;
}

/** Asks with a value from the middle. Resolves with why it is no proof. */
async function proven(search: Search, growing: Growing, param: string): Promise<IncrementalProof | string> {
  const { distinct } = growing;
  const middle = distinct[Math.ceil(distinct.length / 2)] ?? distinct[1];
  if (middle === undefined) return 'the items have one value';
  const first = await asked(search, growing, param, { from: middle, value: middle.sent });
  if (first.fault !== undefined || first.hasTies) return first.fault ?? {};
  const step = stepOf(middle);
  const second = await asked(search, growing, param, { from: middle, value: lessBy(middle, step) });
  if (second.fault !== undefined || second.hasTies) return second.fault ?? { lookback: step.text };
  return 'it leaves out items with exactly the value, also if it is asked from before it';
}

/** The smallest look-back that leads to another value of the same form. */
function stepOf({ order, sent }: OrderedValue): Distance {
  if (order === 'number') return { text: '1' };
  return /\d:\d/.test(String(sent)) ? { text: '1s', ms: 1000 } : { text: '1d', ms: 86_400_000 };
}

interface AskedFrom {
  /** Items from it on must be there. */
  readonly from: OrderedValue;
  /** What the parameter has: no item may be below it. */
  readonly value: string | ExactNumber;
}

interface Answered {
  /** Why it is no answer to what was asked. */
  readonly fault?: string;
  /** The items with exactly the value are there. */
  readonly hasTies: boolean;
}

/**
 * Asks for the items from a value on. Those of the first page that are not below it come first in the answer then, as
 * a filter keeps the order.
 */
async function asked(
  search: Search,
  { path, values }: Growing,
  param: string,
  { from, value }: AskedFrom,
): Promise<Answered> {
  const failed = (fault: string) => ({ fault, hasTies: false });
  const trial = await ask(search, { params: new Map([[param, value]]) });
  const { failure, last, pages } = trial;
  if (failure !== undefined)
    return failed(search.prober.isExhausted() ? 'no request is left' : describeFailure(failure.code, last?.status));
  const items = pages[0]?.items ?? [];
  if (items.length === 0) return failed('the answer has no items');
  const least = orderedValue(value, from.order) ?? from;
  const isBelow = (each: OrderedValue | undefined) => each === undefined || compareValues(each, least) < 0;
  const below = items.filter((item) => isBelow(valueAt(item, path.split('.')))).length;
  if (below > 0) return failed(`${below} of ${items.length} items are below the value that was asked for`);
  const ids = new Set(identify(items, search.key));
  const isThere = (index: number) => ids.has(search.ids[index] ?? '');
  const at = (isWanted: (order: number) => boolean) =>
    values.flatMap((each, index) => (isWanted(compareValues(each, from)) ? [index] : []));
  const lost = at((order) => order > 0).filter((index) => !isThere(index)).length;
  if (lost > 0) return failed(`it leaves out ${lost} of the first items although they are above the value`);
  return { hasTies: at((order) => order === 0).every(isThere) };
}

function foundOf(
  { draft, say }: Search,
  { path, isOfCreation }: Growing,
  param: string,
  lookback: string | undefined,
): FoundIncremental {
  const initial = draft.params.get(param);
  const members: [string, Exact | undefined][] = [
    ['path', path],
    ['param', param],
    ['initial', initial],
    ['lookback', lookback],
  ];
  const notes = [
    ...(lookback === undefined
      ? []
      : ['The API leaves out items with exactly the value, so `lookback` asks from before it.']),
    ...(isOfCreation ? ['Items that change later are not asked for again: the value is that of their creation.'] : []),
  ];
  say(`incremental: "${path}" by "${param}": yes, asked from a value in the middle, no item is below it`);
  for (const note of notes) say(`incremental: ${note}`);
  return {
    incremental: new Map(members.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))),
    path,
    param,
    notes,
  };
}
