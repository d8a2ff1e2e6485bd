/** Creates batches: slabs of NDJSON with item boundaries, parsed only if a sink asks for values. */
import type { Exact } from '../json/exact.js';
import { parseExact } from '../json/exact-parse.js';

/**
 * Wraps a slab of `count` items of compact JSON, each followed by a newline. `offsets` are `count + 1` starts, from 0
 * to `bytes.length`. The slab is not copied. `values` and `exact` parse on each call, so sinks cannot see each other's
 * changes.
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
    values: () => splitLines(bytes).map((line): Item => JSON.parse(line)),
    exact: () => splitLines(bytes).map((line): Exact => parseExact(line)),
  };
}

/** Compact JSON contains no raw newline, so each newline ends an item. */
function splitLines(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
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
