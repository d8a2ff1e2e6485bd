/**
 * A page as a transaction on its sink: one data type at a time, a mark before the first batch, and the way back, or
 * past what is there already.
 */

import type { Mark, Sink } from '../../sinks/contract.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import { createBatch } from '../core/model/batch.js';
import type { Slab } from './scanner/scanner.js';
import type { ReplayGuard } from './stages/replay-guard.js';

export interface PageWriter {
  /**
   * Hands a slab to the sink, but for what the sink has of an attempt before, and waits until it was taken. Throws
   * ERR_PAGE_CHANGED.
   */
  write(slab: Slab): Promise<void>;
  /**
   * Takes back all that this page wrote. Throws ERR_ROLLBACK where something was written and the sink cannot take it
   * back.
   */
  rollback(): Promise<void>;
  /** The page was written to its end. Throws ERR_PAGE_CHANGED when the sink has more of an attempt before. */
  complete(): void;
  /** Lets other jobs write to the data type. Every transaction must end. */
  end(): void;
}

export interface TransactionOptions {
  readonly sink: Sink;
  readonly job: string;
  readonly dataType: string;
  /** Waits for the data type's turn; what it returns passes the turn on. */
  readonly acquire: () => Promise<() => void>;
  readonly signal: AbortSignal;
  /** What a sink that cannot take back has of attempts before. */
  readonly delivered: ReplayGuard;
}

/** Begins an attempt at a page. Nothing is asked of the sink before the first batch. */
export function createPageWriter({ sink, job, dataType, acquire, signal, delivered }: TransactionOptions): PageWriter {
  const isKept = sink.mark === undefined || sink.rollback === undefined;
  let release: (() => void) | undefined;
  let mark: Mark | undefined;
  let written = false;
  delivered.begin();

  const start = async () => {
    release = await acquire();
    mark = await inSink(() => sink.mark?.(dataType, signal));
  };

  return {
    async write(slab) {
      const fresh = delivered.beyond(slab);
      if (fresh === undefined) return;
      if (release === undefined) await start();
      written = true;
      await inSink(() => sink.write(createBatch(job, dataType, fresh.bytes, fresh.offsets, fresh.count), signal));
      if (isKept) delivered.add(fresh);
    },
    async rollback() {
      if (!written && delivered.count === 0) return;
      const taken = mark;
      if (taken === undefined || sink.rollback === undefined) {
        throw new ExtractError(
          'ERR_ROLLBACK',
          `a page of "${dataType}" had to be taken back, but its sink cannot do that`,
        );
      }
      await inSink(() => sink.rollback?.(taken));
      written = false;
    },
    complete: () => delivered.end(),
    end() {
      release?.();
    },
  };
}

async function inSink<T>(action: () => T | Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (thrown) {
    throw asExtractError(thrown, 'ERR_SINK');
  }
}
