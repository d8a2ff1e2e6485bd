import { type Batch, createBatch } from '../../../src/core/model/batch.js';
import type { PageTarget } from '../../../src/run/walk/page-target.js';
import { slabOf } from '../../page/lib.js';
import { calm } from '../../sinks/lib.js';

/** Of a job called `job`. */
export function batchOf(dataType: string, ...items: readonly unknown[]): Batch {
  return createBatch({ job: 'job', dataType, run: 'r', walk: '0', page: 0 }, slabOf(...items), 0);
}

/** One item of so many bytes, about. */
export const heavy = (dataType: string, bytes: number): Batch => batchOf(dataType, 'x'.repeat(bytes));

/** Writes a page as the engine does: in the turn of its data type. */
export async function write({ sink, acquire }: PageTarget, ...batches: readonly Batch[]): Promise<void> {
  const leave = await acquire(batches[0]?.dataType ?? '', calm);
  for (const batch of batches) await sink.write(batch, calm);
  leave();
}
