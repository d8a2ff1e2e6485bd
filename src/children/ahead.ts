/** Pages of a walk that have come before their turn: kept in memory, beyond that in temporary files, until they may go to the sink. */
import { concatMap, from, ignoreElements, type Observable } from 'rxjs';
import { fromAbortable } from '../../operators/from-abortable.js';
import { createBatch } from '../batch.js';
import type { InFlight } from '../in-flight.js';
import type { Output, Target } from '../output.js';
import { createHold, type Hold } from '../page/hold.js';
import { memoryBytes } from '../page/spool.js';
import type { Sink } from '../types.js';

/** What all walks of a run may keep together. */
export interface Budget {
  /** Bytes that are kept at this moment. */
  kept: number;
}

export interface Ahead {
  /** Begins a page: what is written to the target is kept. */
  next(): Target;
  /** All walks together have so much that none should begin another page. */
  isFull(): boolean;
  /** Hands the pages on, in order, and forgets them. */
  drain(output: Output): Observable<never>;
  /** Forgets all pages and removes their files. */
  clear(): Promise<void>;
}

interface Kept {
  readonly hold: Hold;
  /** Of the batches of the page; absent: there was none. */
  of?: { readonly job: string; readonly dataType: string };
}

/** Starts empty. `clear` must be called in the end, or temporary files may stay. */
export function createAhead(budget: Budget, inFlight: InFlight): Ahead {
  let pages: Kept[] = [];
  const forget = async ({ hold }: Kept) => {
    budget.kept -= hold.size;
    await hold.clear();
  };
  const keep = (): Target => {
    const page: Kept = { hold: createHold(Math.max(0, memoryBytes - budget.kept)) };
    pages.push(page);
    return { sink: keeper(page, budget, forget), acquire: async () => () => {} };
  };
  const handOn = async (page: Kept, { sink, acquire }: Target, signal: AbortSignal) => {
    if (page.of === undefined) return;
    const { job, dataType } = page.of;
    const leave = await acquire(dataType, signal);
    try {
      budget.kept -= page.hold.size;
      for await (const { bytes, offsets, count } of page.hold.drain()) {
        await sink.write(createBatch(job, dataType, bytes, offsets, count), signal);
      }
    } finally {
      leave();
    }
  };

  return {
    next: keep,
    isFull: () => budget.kept >= memoryBytes,
    drain(output) {
      const waiting = pages;
      pages = [];
      return from(waiting).pipe(
        concatMap((page) =>
          output
            .page()
            .pipe(concatMap((target) => fromAbortable((signal) => inFlight.track(handOn(page, target, signal))))),
        ),
        ignoreElements(),
      );
    },
    async clear() {
      const left = pages;
      pages = [];
      for (const page of left) await forget(page);
    },
  };
}

/** A page is kept whole or not at all: to take it back is to forget it. */
function keeper(page: Kept, budget: Budget, forget: (page: Kept) => Promise<void>): Sink {
  return {
    async write({ job, dataType, bytes, offsets, count }) {
      page.of = { job, dataType };
      budget.kept += bytes.length;
      await page.hold.add({ bytes, offsets, count });
    },
    mark: (dataType) => ({ dataType, position: 0 }),
    rollback: () => forget(page),
    close() {},
    abort() {},
  };
}
