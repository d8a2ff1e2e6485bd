/**
 * A page as a transaction on its sink: one data type at a time, a mark before the first batch, and the way back, or
 * past what is there already.
 */

import type { Mark } from '../../sinks/contract.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { type Batch, createBatch } from '../core/model/batch.js';
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

/** Where the pages of a walk go. */
export interface WriterOptions {
  readonly job: string;
  readonly dataType: string;
}

/** Made once a walk; `begin` must come before all else. */
export function createPageWriter({ job, dataType }: WriterOptions): SinkWriter {
  let attempt: PageAttempt | undefined;
  let release: (() => void) | undefined;
  let mark: Mark | undefined;
  let isWritten = false;

  const put = (slab: Slab, begun: PageAttempt) => {
    isWritten = true;
    return hand(createBatch(job, dataType, slab.bytes, slab.offsets, slab.count), begun);
  };
  const start = async (slab: Slab, begun: PageAttempt) => {
    const { acquire, progress, sink, signal } = begun;
    progress.now('turn');
    release = await acquire(dataType, signal);
    progress.now('sink');
    mark = await inSink(() => sink.mark?.(dataType, signal));
    await put(slab, begun);
  };

  return {
    begin(next) {
      attempt = next;
      release = undefined;
      mark = undefined;
      isWritten = false;
      next.delivered.begin();
    },
    write(slab) {
      const fresh = attempt?.delivered.beyond(slab);
      if (attempt === undefined || fresh === undefined) return undefined;
      return release === undefined ? start(fresh, attempt) : put(fresh, attempt);
    },
    rollback() {
      if (attempt === undefined || (!isWritten && attempt.delivered.count === 0)) return undefined;
      const { sink } = attempt;
      if (mark === undefined || sink.rollback === undefined) throw notTakenBack(dataType);
      const taken = mark;
      const done = () => {
        isWritten = false;
      };
      const waiting = inSink(() => sink.rollback?.(taken));
      return waiting === undefined ? done() : waiting.then(done);
    },
    complete: () => attempt?.delivered.end(),
    end: () => release?.(),
  };
}

/** Writes a batch, and notes it where it cannot be taken back. */
function hand(batch: Batch, { sink, signal, delivered }: PageAttempt): void | Promise<void> {
  const waiting = inSink(() => sink.write(batch, signal));
  if (sink.mark !== undefined && sink.rollback !== undefined) return waiting;
  return waiting === undefined ? delivered.add(batch) : waiting.then(() => delivered.add(batch));
}

const notTakenBack = (dataType: string) =>
  new ExtractError('ERR_ROLLBACK', `a page of "${dataType}" had to be taken back, but its sink cannot do that`);

/** Takes every failure of the sink for ERR_SINK. A promise only where the sink gives something to wait for. */
function inSink<T>(action: () => T | Promise<T>): Promise<T> | undefined {
  try {
    const result = action();
    return result === undefined ? undefined : Promise.resolve(result).catch(refuse);
  } catch (thrown) {
    return refuse(thrown);
  }
}

function refuse(thrown: unknown): never {
  throw asExtractError(thrown, 'ERR_SINK');
}
