/** Compares lists of items: which are missing, which are more, and which members differ. */

import { type Exact, isArray, isObject, stringifyExact } from '../../core/json/exact.js';
import { digestOf } from '../../core/util/digest.js';
import { elementAt } from '../../core/util/element-at.js';
import { joinPath } from '../../language/config-path.js';

/** A difference between two lists. Numbers count from 1. */
export type ItemDifference =
  | { readonly kind: 'changed'; readonly at: number; readonly members: readonly MemberDifference[] }
  | { readonly kind: 'missing'; readonly at: number; readonly item: Exact }
  | { readonly kind: 'more'; readonly at: number; readonly item: Exact }
  | { readonly kind: 'order'; readonly at: number; readonly from: number };

/** A member that differs. Absent: it is not there. */
export interface MemberDifference {
  /** The path of the member; empty: the item itself. */
  readonly path: string;
  readonly expected?: Exact;
  readonly found?: Exact;
}

/** Items are equal if their values are: the order of members does not count, every digit of a number does. */
export function compareItems(expected: readonly Exact[], found: readonly Exact[]): readonly ItemDifference[] {
  const [wanted, there] = [expected.map(canonical), found.map(canonical)];
  const moved = firstMoved(wanted, there);
  if (moved !== undefined) return [moved];
  return changes(wanted, there).flatMap(({ gone, come }) => {
    const pairs = Math.min(gone.length, come.length);
    return [
      ...gone.map((at, index): ItemDifference => {
        const other = index < pairs ? come[index] : undefined;
        if (other === undefined) return { kind: 'missing', at: at + 1, item: elementAt(expected, at) };
        return {
          kind: 'changed',
          at: at + 1,
          members: compareValues(elementAt(expected, at), elementAt(found, other)),
        };
      }),
      ...come.slice(pairs).map((at): ItemDifference => ({ kind: 'more', at: at + 1, item: elementAt(found, at) })),
    ];
  });
}

/** Longer texts are compared by their digests, so that the lists need not be twice in memory. */
const longText = 200;

/** The text of a value with its members sorted: equal for equal values only. */
function canonical(value: Exact): string {
  if (typeof value === 'string' && value.length > longText) return `#${digestOf(value)}`;
  if (isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return stringifyExact(value);
  const names = [...value.keys()].sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value.get(name) ?? null)}`).join()}}`;
}

/** The first item that is elsewhere, if both lists have the same items. */
function firstMoved(wanted: readonly string[], there: readonly string[]): ItemDifference | undefined {
  const at = wanted.findIndex((each, index) => each !== there[index]);
  if (at === -1 || wanted.length !== there.length) return undefined;
  const [one, other] = [[...wanted].sort(), [...there].sort()];
  if (one.some((each, index) => each !== other[index])) return undefined;
  return { kind: 'order', at: at + 1, from: wanted.indexOf(elementAt(there, at)) + 1 };
}

/** Items at one place that are gone, and those that came instead: their indexes. */
interface Change {
  readonly gone: readonly number[];
  readonly come: readonly number[];
}

/** More comparisons than this take too long: items are then compared by their place alone. */
const mostCompared = 4_000_000;

function changes(wanted: readonly string[], there: readonly string[]): readonly Change[] {
  const { start, ends } = unequal(wanted, there);
  const [rows, columns] = [ends[0] - start, ends[1] - start];
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  if (rows === 0 && columns === 0) return [];
  if (rows * columns > mostCompared) return byPlace(wanted, there, range(start, Math.max(...ends)));
  return byCommonItems(wanted, there, { start, rows, columns });
}

function byPlace(wanted: readonly string[], there: readonly string[], indexes: readonly number[]): readonly Change[] {
  const differ = indexes.filter((index) => wanted[index] !== there[index]);
  return differ.map((index) => ({
    gone: index < wanted.length ? [index] : [],
    come: index < there.length ? [index] : [],
  }));
}

/** Without the equal items at both ends. */
function unequal(wanted: readonly string[], there: readonly string[]) {
  let start = 0;
  while (start < wanted.length && start < there.length && wanted[start] === there[start]) start += 1;
  let [end, other] = [wanted.length, there.length];
  while (end > start && other > start && wanted[end - 1] === there[other - 1]) {
    end -= 1;
    other -= 1;
  }
  return { start, ends: [end, other] as const };
}

interface Window {
  readonly start: number;
  readonly rows: number;
  readonly columns: number;
}

/** Keeps as many equal items as possible: the longest common subsequence. */
function byCommonItems(wanted: readonly string[], there: readonly string[], window: Window): readonly Change[] {
  const { start, rows, columns } = window;
  const lengths = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  const lengthAt = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  const isEqual = (row: number, column: number) => wanted[start + row] === there[start + column];
  for (let row = rows - 1; row >= 0; row -= 1) {
    const line = lengths[row];
    for (let column = columns - 1; column >= 0 && line !== undefined; column -= 1) {
      line[column] = isEqual(row, column)
        ? lengthAt(row + 1, column + 1) + 1
        : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  const found: { gone: number[]; come: number[] }[] = [{ gone: [], come: [] }];
  for (let [row, column] = [0, 0]; row < rows || column < columns; ) {
    const last = found.at(-1);
    if (row < rows && column < columns && isEqual(row, column)) {
      if (last !== undefined && last.gone.length + last.come.length > 0) found.push({ gone: [], come: [] });
      row += 1;
      column += 1;
    } else if (column >= columns || (row < rows && lengthAt(row + 1, column) >= lengthAt(row, column + 1))) {
      last?.gone.push(start + row);
      row += 1;
    } else {
      last?.come.push(start + column);
      column += 1;
    }
  }
  return found;
}

/** The members that differ, by their paths. */
export function compareValues(expected: Exact, found: Exact, path = ''): readonly MemberDifference[] {
  if (isObject(expected) && isObject(found)) {
    const names = [...new Set([...expected.keys(), ...found.keys()])];
    return names.flatMap((name) => member(expected.get(name), found.get(name), joinPath(path, name)));
  }
  if (isArray(expected) && isArray(found)) {
    const indexes = Array.from({ length: Math.max(expected.length, found.length) }, (_, index) => index);
    return indexes.flatMap((index) => member(expected[index], found[index], joinPath(path, index)));
  }
  return canonical(expected) === canonical(found) ? [] : [{ path, expected, found }];
}

function member(expected: Exact | undefined, found: Exact | undefined, path: string): readonly MemberDifference[] {
  if (expected === undefined) return found === undefined ? [] : [{ path, found }];
  if (found === undefined) return [{ path, expected }];
  return compareValues(expected, found, path);
}
