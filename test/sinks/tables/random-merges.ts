/** Random runs by `merge`: after each, a table has the last item of each key, and nothing else. */
import * as assert from 'uvu/assert';
import type { Notice } from '../../../src/core/model/notice.js';
import { mulberry32 } from '../../support/mulberry32.js';

type Item = Readonly<Record<string, unknown>>;

/** A table that runs merge into. */
export interface MergedTable {
  /** Does a run of pages. */
  merge(key: string, pages: readonly (readonly Item[])[]): Promise<unknown>;
  /** The values of each row by member, as text, and none for NULL. */
  read(): Promise<readonly ReadonlyMap<string, string>[]>;
}

const keys = ['id', 'o.id', 'id,o.id'] as const;
const values: readonly unknown[] = [0, 7, 1.5, true, false, 'x', '7', '', null, {}, [], [1, 'a'], { a: 1 }, { b: 'y' }];

/** Does some random runs, and compares the table after each. */
export async function checkMerges(table: MergedTable, seed: number): Promise<void> {
  const next = mulberry32(seed);
  const below = (most: number) => next() % most;
  const key = keys[below(keys.length)] ?? 'id';
  const last = new Map<string, Item>();
  for (let run = 0; run < 6; run++) {
    const pages = Array.from({ length: below(4) }, () =>
      Array.from({ length: below(5) }, () => randomItem(below, run)),
    );
    await table.merge(key, pages);
    for (const item of pages.flat()) last.set(keyOf(item, key), item);
    const rows = [...(await table.read())];
    assert.is(rows.length, last.size, `seed ${seed}, run ${run}: rows`);
    for (const item of last.values()) {
      const expected = leavesOf(item);
      const at = rows.findIndex((row) => isRowOf(row, expected));
      assert.ok(at >= 0, `seed ${seed}, run ${run}: no row for ${JSON.stringify(item)} in ${show(rows)}`);
      rows.splice(at, 1);
    }
  }
}

/** An item with both keys; others of its members appear in some runs only. */
function randomItem(below: (most: number) => number, run: number): Item {
  const names = ['a', 'b', 'c', `only${run}`].filter(() => below(2) === 0);
  const value = () => values[below(values.length)];
  const inner = Object.fromEntries(names.filter(() => below(2) === 0).map((name) => [name, value()]));
  return { id: below(6), ...Object.fromEntries(names.map((name) => [name, value()])), o: { ...inner, id: below(3) } };
}

const keyOf = (item: Item, key: string): string => {
  const leaves = leavesOf(item);
  return JSON.stringify(key.split(',').map((path) => leaves.get(path.replace('.', '__'))));
};

/** The values of an item by member. A list is one, `null` and an empty object are none. */
function leavesOf(value: unknown, path: readonly string[] = []): ReadonlyMap<string, unknown> {
  if (value === null || value === undefined) return new Map();
  if (typeof value !== 'object' || Array.isArray(value)) return new Map([[path.join('__'), value]]);
  return new Map(Object.entries(value).flatMap(([name, each]) => [...leavesOf(each, [...path, name])]));
}

/** A merge into a table of which nothing was recorded has said once that it keeps the values of `a` and `b`. */
export function mustSayKept(notices: readonly Notice[]): void {
  assert.equal(
    notices.map(({ level, code }) => [level, code]),
    [['info', 'columns-kept']],
  );
  assert.match(notices[0]?.message ?? '', /^"t": no run has recorded .* keep their values in "a", "b"\. Once an item/);
}

/** The rows of a table with a column for each leaf, or of one with items. */
export const rowOfTexts = (row: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(row).flatMap(([name, text]) => (text === null ? [] : [[name, String(text)] as const])));

export const rowOfItem = (json: string): ReadonlyMap<string, string> =>
  new Map([...leavesOf(JSON.parse(json))].map(([name, value]) => [name, textOf(value)]));

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const isRowOf = (row: ReadonlyMap<string, string>, expected: ReadonlyMap<string, unknown>): boolean =>
  row.size === expected.size && [...expected].every(([name, value]) => isText(row.get(name), value));

/** A column of JSON has texts in quotes; a number may be written with more digits. */
function isText(found: string | undefined, value: unknown): boolean {
  if (found === undefined) return false;
  if (found === textOf(value) || found === JSON.stringify(value)) return true;
  if (typeof value === 'number') return Number(found) === value;
  if (!Array.isArray(value) || !found.startsWith('[')) return false; // the text of another row's member
  return JSON.stringify(JSON.parse(found)) === JSON.stringify(value);
}

const show = (rows: readonly ReadonlyMap<string, string>[]) =>
  JSON.stringify(rows.map((row) => Object.fromEntries(row)));
