/** Makes batches: a slab of NDJSON with its item boundaries, parsed only when a sink asks. */
import type { Exact } from '../json/exact.js';
import { parseExact } from '../json/exact-parse.js';
import type { Batch } from './types.js';

/**
 * Wraps a slab of `count` items of compact JSON, a newline after each; `offsets` are `count + 1` starts from 0 to `bytes.length`.
 * The slab is taken over, not copied. `values` and `exact` parse anew on each call, so that no sink sees another's changes.
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
