/** Creates a batch from plain values, as the engine does from a page: for tests and for trying out a sink. */

import { fromPlain, stringifyExact } from '../src/core/json/exact.js';
import { type Batch, createBatch, joinItems } from '../src/core/model/batch.js';
import type { BatchPlace } from '../src/core/model/batch-place.js';

/** The origin of the batch; default: page 0 of walk `0` of the run `test-run-0000000`. */
export interface BatchOrigin extends Partial<BatchPlace> {
  readonly job?: string;
}

/**
 * Turns items into one batch. An item is a value that `JSON.stringify` can write, or `Exact`; bigint keeps its digits.
 * `from`: the name of the job, or more of its origin. Throws TypeError for a value without a JSON form.
 */
export function batchOf<Item>(dataType: string, items: readonly Item[], from: string | BatchOrigin = {}): Batch<Item> {
  const { offset = 0, ...place } = typeof from === 'string' ? { job: from } : from;
  const lines = items.map((item) => Buffer.from(`${stringifyExact(fromPlain(item))}\n`));
  const first = { job: dataType, dataType, run: 'test-run-0000000', walk: '0', page: 0 };
  return createBatch<Item>({ ...first, ...place }, joinItems(lines), offset);
}
