/** A page as a transaction on its sink: one data type at a time, a mark before the first batch, and the way back. */
import { createBatch } from '../batch.js';
import { asExtractError, ExtractError } from '../errors.js';
import type { Mark, Sink } from '../types.js';
import type { Slab } from './scanner/scanner.js';

export interface Transaction {
  /** Hands a slab to the sink and waits until it was taken. */
  write(slab: Slab): Promise<void>;
  /** Takes back all that this page wrote. Throws ERR_ROLLBACK where something was written and the sink cannot take it back. */
  rollback(): Promise<void>;
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
}

/** Begins a page. Nothing is asked of the sink before the first batch. */
export function beginPage({ sink, job, dataType, acquire, signal }: TransactionOptions): Transaction {
  let release: (() => void) | undefined;
  let mark: Mark | undefined;
  let written = false;

  const start = async () => {
    release = await acquire();
    mark = await inSink(() => sink.mark?.(dataType, signal));
  };

  return {
    async write(slab) {
      if (release === undefined) await start();
      written = true;
      await inSink(() => sink.write(createBatch(job, dataType, slab.bytes, slab.offsets, slab.count), signal));
    },
    async rollback() {
      if (!written) return;
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
