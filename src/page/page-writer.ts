/**
 * A page as a transaction on its sink: one data type at a time, taken back if it breaks, or continued after what the
 * sink has already.
 */

import type { Sink } from '../../sinks/contract.js';
import { inSink } from '../../sinks/errors.js';
import { ExtractError } from '../core/errors/errors.js';
import { type Batch, createBatch, type PageOrigin } from '../core/model/batch.js';
import type { PageAttempt, Write } from './page-stage.js';
import type { Slab } from './scanner/scanner.js';

export interface PageWriter {
  /**
   * Hands a slab to the sink, but for what the sink has of an attempt before. The promise, where there is one, waits
   * until it was taken. Throws ERR_PAGE_CHANGED and ERR_SINK.
   */
  readonly write: Write;
  /**
   * Takes back all that this page wrote. Throws ERR_ROLLBACK where something was written and the sink cannot take it
   * back.
   */
  readonly rollback: () => void | Promise<void>;
  /** The page was written to its end. Throws ERR_PAGE_CHANGED when the sink has more of an attempt before. */
  readonly complete: () => void;
  /** Lets other jobs write to the data type. Every attempt must end. */
  readonly end: () => void;
}

/** The writer of a walk, which has one page under way at a time. */
export interface SinkWriter extends PageWriter {
  /** An attempt at a page begins. Nothing is asked of the sink before the first batch. */
  readonly begin: (attempt: PageAttempt) => void;
}

/** What all pages of a walk have in common. */
export type WriterOptions = Omit<PageOrigin, 'page'>;

/** Made once a walk; `begin` must come before all else. */
export function createPageWriter(options: WriterOptions): SinkWriter {
  const { dataType } = options;
  const batches = createBatches(options);
  let attempt: PageAttempt | undefined;
  let release: (() => void) | undefined;

  const put = (slab: Slab, begun: PageAttempt) => hand(batches.next(slab), begun);
  const start = async (slab: Slab, begun: PageAttempt) => {
    const { acquire, progress, signal } = begun;
    progress.now('turn');
    release = await acquire(dataType, signal);
    progress.now('sink');
    await put(slab, begun);
  };

  return {
    begin(next) {
      attempt = next;
      batches.begin(next.page);
      release = undefined;
      next.delivered.begin();
    },
    write(slab) {
      const fresh = attempt?.delivered.beyond(slab);
      if (fresh !== slab) batches.skip(slab.count - (fresh?.count ?? 0));
      if (attempt === undefined || fresh === undefined) return undefined;
      return release === undefined ? start(fresh, attempt) : put(fresh, attempt);
    },
    rollback() {
      if (attempt === undefined || (!batches.isAny() && attempt.delivered.count === 0)) return undefined;
      const { sink, page } = attempt;
      if (!canRollBack(sink)) throw notTakenBack(dataType);
      const done = () => batches.begin(page);
      const waiting = inSink(() => sink.rollback?.(dataType));
      return waiting instanceof Promise ? waiting.then(done) : done();
    },
    complete: () => attempt?.delivered.end(),
    end: () => release?.(),
  };
}

/** Makes the batches of a page, and counts their items. */
function createBatches({ job, dataType, run, walk }: WriterOptions) {
  let place = { job, dataType, run, walk, page: 0 };
  let offset = 0;
  let isAny = false;
  return {
    isAny: () => isAny,
    begin(page: number) {
      if (place.page !== page) place = { job, dataType, run, walk, page };
      offset = 0;
      isAny = false;
    },
    /** Items that the sink has already. */
    skip(count: number) {
      offset += count;
    },
    next(slab: Slab) {
      isAny = true;
      offset += slab.count;
      return createBatch(place, slab, offset - slab.count);
    },
  };
}

/** Writes a batch, and notes it where it cannot be taken back. */
function hand(batch: Batch, { sink, signal, delivered }: PageAttempt): void | Promise<void> {
  const waiting = inSink(() => sink.write(batch, signal));
  if (canRollBack(sink)) return waiting;
  return waiting instanceof Promise ? waiting.then(() => delivered.add(batch)) : delivered.add(batch);
}

const notTakenBack = (dataType: string) =>
  new ExtractError('ERR_ROLLBACK', `a page of "${dataType}" must be rolled back, but its sink cannot roll back`);

/** Whether a page can be taken back: the sink knows where it began. */
const canRollBack = ({ commit, rollback }: Sink): boolean => commit !== undefined && rollback !== undefined;
