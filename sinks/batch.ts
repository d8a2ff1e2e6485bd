/** Makes a batch of plain values, as the engine would of a page: for tests and for trying out a sink. */

import { fromPlain, stringifyExact } from '../src/core/json/exact.js';
import { type Batch, createBatch } from '../src/core/model/batch.js';

/**
 * Turns items into one batch. An item is what `JSON.stringify` could write, or `Exact`; bigint keeps its digits.
 * Throws TypeError for a value that has no JSON form.
 */
export function batchOf<Item>(dataType: string, items: readonly Item[], job = dataType): Batch<Item> {
  const lines = items.map((item) => Buffer.from(`${stringifyExact(fromPlain(item))}\n`));
  const offsets = new Uint32Array(lines.length + 1);
  for (const [index, line] of lines.entries()) offsets[index + 1] = (offsets[index] ?? 0) + line.length;
  return createBatch<Item>(job, dataType, new Uint8Array(Buffer.concat(lines)), offsets, lines.length);
}
