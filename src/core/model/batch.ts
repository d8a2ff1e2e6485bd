/** Makes batches: a slab of NDJSON with its item boundaries, parsed only when a sink asks. */
import type { Exact } from '../json/exact.js';
import { parseExact } from '../json/exact-parse.js';

/**
 * Wraps a slab of `count` items of compact JSON, a newline after each; `offsets` are `count + 1` starts from 0 to
 * `bytes.length`. The slab is taken over, not copied. `values` and `exact` parse anew on each call, so that no sink
 * sees another's changes.
 */
export function createBatch<Item = unknown>(
  job: string,
  dataType: string,
  bytes: Uint8Array,
  offsets: Uint32Array,
  count: number,
): Batch<Item> {
  return {
    job,
    dataType,
    bytes,
    offsets,
    count,
    values: () => linesOf(bytes).map((line): Item => JSON.parse(line)),
    exact: () => linesOf(bytes).map((line): Exact => parseExact(line)),
  };
}

/** Compact JSON holds no raw newline, so that each one ends an item. */
function linesOf(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text === '' ? [] : text.slice(0, -1).split('\n');
}

/** Items on their way to the sink, as in a batch. */
export type Items = Pick<Batch, 'bytes' | 'offsets' | 'count'>;

/**
 * A slab of NDJSON: item i is `bytes[offsets[i] .. offsets[i + 1] - 1)`, its newline behind it. Never touched again
 * once handed over.
 */
export interface Batch<Item = unknown> {
  readonly job: string;
  readonly dataType: string;
  /** Items as compact JSON, a newline after each. */
  readonly bytes: Uint8Array;
  /** `count + 1` byte offsets into `bytes`; the first is 0, the last `bytes.length`. */
  readonly offsets: Uint32Array;
  readonly count: number;
  /** The items by `JSON.parse`; numbers beyond 2^53 lose digits. `Item` is the caller's word: nothing is checked. */
  values(): readonly Item[];
  /** The items with number text and member order kept. */
  exact(): readonly Exact[];
}
