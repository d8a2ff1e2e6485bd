/** Finds the lists of items in a response, the likeliest first. */
import { type Exact, isArray, isObject } from '../../core/json/exact.js';

export interface FoundList {
  /** Member names from the root; empty: the response itself. */
  readonly path: readonly string[];
  readonly items: readonly Exact[];
  /** `map`: an object whose members are the items, which a configuration takes as one item. */
  readonly kind: 'objects' | 'lists' | 'values' | 'empty' | 'map';
}

/** Lists are not searched below this many members. */
const deepest = 8;

/** Names that lists of items often have. */
const usualNames =
  /^(?:data|items?|results?|records?|rows|entries|values|objects|hits|content|docs|documents|nodes|edges|elements|list|response|members|collection|resources|features|value)$/i;
/** Names of lists that describe the answer. */
const sideNames =
  /^(?:errors?|warnings?|messages?|included|links|_links|meta|facets|(?:suggested_)?facets|facet_results|filters|aggregations|columns|fields|schema)$/i;

/** Returns the lists outside of other lists: those of objects before others, long before short, then maps. */
export function findLists(body: Exact): readonly FoundList[] {
  const found: FoundList[] = [];
  collect(body, [], found);
  return [...found].sort(
    (a, b) => rank(b) - rank(a) || b.items.length - a.items.length || a.path.length - b.path.length,
  );
}

/** The path of the list beside arrays that names their values: one of as many texts, or of objects with a name. */
export function namesBeside(body: Exact, { path, items, kind }: FoundList): readonly string[] | undefined {
  const [row] = items;
  const around = path.slice(0, -1);
  const parent = around.reduce<Exact | undefined>(
    (value, name) => (isObject(value) ? value.get(name) : undefined),
    body,
  );
  if (kind !== 'lists' || !isArray(row) || !isObject(parent)) return undefined;
  const found = [...parent].find(
    ([name, value]) => namesOfNames.test(name) && isArray(value) && value.length === row.length && areNames(value),
  );
  return found && [...around, found[0]];
}

/** The path as `response.columns` has it. */
export const columnsPath = (path: readonly string[]): Exact =>
  path.some((name) => name.includes('.')) ? path : path.join('.');

const namesOfNames = /column|field|header|names|meta|schema|keys/i;

function areNames(values: readonly Exact[]): boolean {
  const names = values.map((each) => (isObject(each) ? each.get('name') : each));
  return names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
}

function collect(value: Exact, path: readonly string[], found: FoundList[]): void {
  if (isArray(value)) {
    const kind = kindOf(value);
    found.push({ path, items: value, kind });
    return;
  }
  if (!isObject(value) || path.length > deepest) return;
  if (isMap(value)) found.push({ path, items: [...value.values()], kind: 'map' });
  for (const [name, member] of value) collect(member, [...path, name], found);
}

function kindOf(items: readonly Exact[]): FoundList['kind'] {
  if (items.length === 0) return 'empty';
  if (items.every(isObject)) return 'objects';
  return items.every(isArray) ? 'lists' : 'values';
}

/** Objects under names that are data: at least two, and all share a member. */
function isMap(value: ReadonlyMap<string, Exact>): boolean {
  const members = [...value.values()];
  const [first, ...rest] = members;
  if (!isObject(first) || rest.length === 0 || !members.every(isObject)) return false;
  return [...first.keys()].some((name) => rest.every((each) => isObject(each) && each.has(name)));
}

/** Rows that are lists are items if they have a usual name, or nothing is a list of objects. */
const kinds = { objects: 6, lists: 5.5, empty: 3, values: 2, map: 0 } as const;

function rank({ path, kind }: FoundList): number {
  const name = path.at(-1) ?? 'data';
  const ofName = usualNames.test(name) ? 1 : sideNames.test(name) ? -4 : 0;
  return kinds[kind] + ofName;
}

/** A path as `dataField` has it: the path with dots, or an object with another delimiter. */
export function pathText(path: readonly string[]): string {
  return path.length === 0 ? '.' : path.join(delimiterFor(path));
}

/** A delimiter that no name has. */
export const delimiterFor = (path: readonly string[]): string =>
  ['.', '/', '|', '>', '\u001f'].find((each) => !path.some((name) => name.includes(each))) ?? '\u001f';
