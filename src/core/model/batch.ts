/** Creates batches: slabs of NDJSON with item boundaries, parsed only if a sink asks for values. */
import type { Exact } from '../json/exact.js';
import { parseExact } from '../json/exact-parse.js';
import { itemValues } from '../json/item-values.js';
import { asBuffer } from '../util/as-buffer.js';
import type { PagePlace } from './batch-place.js';

/** Where a batch is from. */
export interface PageOrigin extends PagePlace {
  readonly job: string;
  readonly dataType: string;
  readonly columns?: readonly string[] | undefined;
}

/**
 * Wraps items of compact JSON, each followed by a newline. Their `offsets` are `count + 1` starts, from 0 to
 * `bytes.length`; `offset` is the place of the first item in its page. The bytes are not copied. `values` and `exact`
 * parse on each call, so sinks cannot see each other's changes.
 */
export function createBatch<Item = unknown>(
  { job, dataType, run, walk, page, columns }: PageOrigin,
  { bytes, offsets, count }: Items,
  offset: number,
): Batch<Item> {
  return {
    job,
    dataType,
    run,
    walk,
    page,
    offset,
    columns,
    bytes,
    offsets,
    count,
    values: () => itemValues(bytes, offsets) as Item[], // `Item` is the caller's claim
    exact: () => splitLines(bytes).map((line): Exact => parseExact(line)),
  };
}

/** Compact JSON contains no raw newline, so each newline ends an item. */
function splitLines(bytes: Uint8Array): readonly string[] {
  const text = asBuffer(bytes).toString('utf8');
  return text === '' ? [] : text.slice(0, -1).split('\n');
}

/** The items of a batch without its job. */
export type Items = Pick<Batch, 'bytes' | 'offsets' | 'count'>;

/**
 * A slab of NDJSON: item i is `bytes[offsets[i] .. offsets[i + 1] - 1)`, followed by its newline. Never changed after
 * it was handed over.
 */
export interface Batch<Item = unknown> {
  readonly job: string;
  readonly dataType: string;
  /** Created by a fresh start and kept when it is resumed: 16 characters. */
  readonly run: string;
  /** The walk within the run, such as `3` or `3/7.0.14.2`. */
  readonly walk: string;
  /** The page within the walk, from 0. */
  readonly page: number;
  /** Place of the first item among those of the page that this sink gets, from 0. */
  readonly offset: number;
  /** The names of the columns that the job adds: they are the last members of each item. Absent: there are none. */
  readonly columns?: readonly string[] | undefined;
  /** Items as compact JSON, each followed by a newline. */
  readonly bytes: Uint8Array;
  /** `count + 1` byte offsets into `bytes`; the first is 0, the last `bytes.length`. */
  readonly offsets: Uint32Array;
  readonly count: number;
  /** The items parsed by `JSON.parse`: numbers beyond 2^53 lose digits. `Item` is not checked. */
  values(): readonly Item[];
  /** The items with number text and member order preserved. */
  exact(): readonly Exact[];
}

/** Where item `index`, from 0, begins in the bytes. Of an index after the last item: where they end. */
export const startOf = ({ bytes, offsets }: Pick<Items, 'bytes' | 'offsets'>, index: number): number =>
  offsets[index] ?? bytes.length;

/** The bytes of item `index`, from 0, with its newline. */
export const sizeOf = (items: Pick<Items, 'bytes' | 'offsets'>, index: number): number =>
  startOf(items, index + 1) - startOf(items, index);

/** The items from index `from` to index `to`, without the latter: a view of their bytes, not a copy. */
export function itemsBetween(items: Items, from: number, to: number): Items {
  if (from === 0 && to === items.count) return items;
  const [start, end] = [startOf(items, from), startOf(items, to)];
  const offsets = items.offsets.subarray(from, to + 1).map((at) => at - start);
  return { bytes: items.bytes.subarray(start, end), offsets, count: to - from };
}

/** Joins items, each with its newline. */
export function joinItems(lines: readonly Uint8Array[]): Items {
  const offsets = new Uint32Array(lines.length + 1);
  let end = 0;
  for (const [index, { length }] of lines.entries()) {
    end += length;
    offsets[index + 1] = end;
  }
  return { bytes: new Uint8Array(Buffer.concat(lines)), offsets, count: lines.length };
}

/** Item `index`, from 0, as compact JSON. */
export const itemAt = ({ bytes, offsets }: Items, index: number): string =>
  asBuffer(bytes).toString('utf8', offsets[index], offsets[index + 1]);
