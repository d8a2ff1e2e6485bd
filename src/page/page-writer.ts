/**
 * Writes a page as a transaction on its sink: one data type at a time. On failure it rolls back, or the next attempt
 * continues after the delivered items.
 */

import { isBorrowing } from '../../sinks/borrowing.js';
import type { Sink } from '../../sinks/contract.js';
import { inSink } from '../../sinks/errors.js';
import { ExtractError } from '../core/errors/errors.js';
import { type Batch, createBatch, type PageOrigin } from '../core/model/batch.js';
import { isLent, owned } from '../core/util/lent-memory.js';
import type { PageAttempt, Write } from './page-stage.js';
import type { Slab } from './scanner/scanner.js';

export interface PageWriter {
  /**
   * Passes a slab to the sink, except for items that an earlier attempt delivered. A returned promise settles when the
   * sink has accepted them. Throws ERR_PAGE_CHANGED and ERR_SINK.
   */
  readonly write: Write;
  /**
   * Rolls back all that this page wrote. Throws ERR_ROLLBACK if something was written and the sink cannot roll back.
   */
  readonly rollback: () => void | Promise<void>;
  /**
   * Marks the page as completely written. Throws ERR_PAGE_CHANGED when the sink has more items of an earlier attempt.
   */
  readonly complete: () => void;
  /** Releases the data type for other jobs. Call it for every attempt. */
  readonly end: () => void;
  /** The page is complete, but not committed: the next one may begin. Returns the function that `end` was to call. */
  readonly leave: () => () => void;
}

/** The writer of a walk, which has one active page at a time. */
export interface SinkWriter extends PageWriter {
  /** Starts an attempt at a page. Does not call the sink before the first batch. */
  readonly begin: (attempt: PageAttempt) => void;
}

/** The facts that all pages of a walk share. */
export type WriterOptions = Omit<PageOrigin, 'page'>;

/** Creates the writer, once per walk; call `begin` before anything else. */
export function createPageWriter(options: WriterOptions): SinkWriter {
  const { dataType } = options;
  const batches = createBatches(options);
  let attempt: PageAttempt | undefined;
  let release: (() => void) | undefined;

  const put = (slab: Slab, begun: PageAttempt) => hand(batches.next(slab, begun.sink), begun);
  const start = (slab: Slab, begun: PageAttempt) => {
    const { acquire, progress, signal } = begun;
    const begin = (leave: () => void) => {
      release = leave;
      progress.now('sink');
      return put(slab, begun);
    };
    progress.now('turn');
    const turn = acquire(dataType, signal);
    return turn instanceof Promise ? turn.then(begin) : begin(turn);
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
    leave() {
      const own = release;
      release = undefined;
      return () => own?.();
    },
  };
}

/** Creates the batches of a page, and counts their items. */
function createBatches({ job, dataType, run, walk, columns }: WriterOptions) {
  let place = { job, dataType, run, walk, page: 0, columns };
  let offset = 0;
  let isAny = false;
  return {
    isAny: () => isAny,
    begin(page: number) {
      if (place.page !== page) place = { job, dataType, run, walk, page, columns };
      offset = 0;
      isAny = false;
    },
    /** Skips items that the sink already has. */
    skip(count: number) {
      offset += count;
    },
    /** Lent memory is copied unless the sink may get it. */
    next(slab: Slab, { write }: Sink) {
      isAny = true;
      offset += slab.count;
      const mayLend = isBorrowing(write) || !isLent(slab.bytes);
      return createBatch(place, mayLend ? slab : { ...slab, bytes: owned(slab.bytes) }, offset - slab.count);
    },
  };
}

/** Writes a batch, and records it if the sink cannot roll back. */
function hand(batch: Batch, { sink, signal, delivered }: PageAttempt): void | Promise<void> {
  const waiting = inSink(() => sink.write(batch, signal));
  if (canRollBack(sink)) return waiting;
  return waiting instanceof Promise ? waiting.then(() => delivered.add(batch)) : delivered.add(batch);
}

const notTakenBack = (dataType: string) =>
  new ExtractError('ERR_ROLLBACK', `a page of "${dataType}" must be rolled back, but its sink cannot roll back`);

/** Whether the sink can roll back a page: it knows the start of the page. */
const canRollBack = ({ commit, rollback }: Sink): boolean => commit !== undefined && rollback !== undefined;
