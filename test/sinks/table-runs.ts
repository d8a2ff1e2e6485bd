/** Runs into files of tables: pages, rollbacks, interruptions and resumes. */
import { batchOf } from '../../sinks/batch.js';
import type { Earlier, Sink } from '../../sinks/contract.js';
import type { Exact } from '../../src/core/json/exact.js';
import { type Batch, createBatch, joinItems } from '../../src/core/model/batch.js';
import { mulberry32 } from '../support/mulberry32.js';
import { calm, pageEnd } from './lib.js';

/** A batch of JSON texts. */
export function batchOfTexts(texts: readonly string[], { dataType = 'users', offset = 0 } = {}): Batch {
  const lines = texts.map((text) => Buffer.from(`${text}\n`));
  const origin = { job: 'users', dataType, run: 'test-run-0000000', walk: '0', page: 0 };
  return createBatch(origin, joinItems(lines), offset);
}

/** What a stored run resumes, with one checkpoint. */
export const stored = (checkpoint: Exact, phase: Earlier['phase'], epoch = 2): Earlier => ({
  ...{ run: 'r', epoch, isStored: true, phase },
  checkpoints: new Map([['users', checkpoint]]),
});

/**
 * Writes random pages; a stored run is interrupted and resumed. `create`: the sink of each process; `below` returns
 * random whole numbers, and is undefined for the first one.
 */
export async function pulled(
  create: (below?: (most: number) => number) => Sink,
  items: readonly unknown[],
  seed: number,
): Promise<void> {
  const next = mulberry32(seed);
  const below = (most: number) => next() % most;
  const run = { run: 'r', isStored: true, phase: 'writing' as const };
  let checkpoints = new Map<string, Exact>();
  let epoch = 1;
  let sink = create();
  await sink.resume?.({ ...run, epoch, checkpoints });
  for (let at = 0; at < items.length; ) {
    const page = items.slice(at, at + 1 + below(9));
    const fate = below(6);
    await sink.write(batchOf('users', fate === 0 ? [...page, { [`only${at}`]: true }] : page), calm);
    if (fate === 0) await sink.rollback?.('users');
    else if (fate === 1) {
      await sink.abort(new Error('interrupted'));
      sink = create(below);
      await sink.resume?.({ ...run, epoch: ++epoch, checkpoints });
    } else {
      const checkpoint = await sink.commit?.(pageEnd('users'), calm);
      checkpoints = new Map([['users', checkpoint ?? null]]);
      at += page.length;
    }
  }
  await sink.close();
}
