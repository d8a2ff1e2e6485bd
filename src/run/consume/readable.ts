/** A consumer as a Node stream: what reads the stream pulls. */
import { Readable } from 'node:stream';
import { ExtractError } from '../../core/errors/errors.js';
import { interruption } from '../lifecycle.js';

/** A Readable whose loop yields values of type `T`. */
export interface ReadableOf<T> extends Readable {
  [Symbol.asyncIterator](): ReturnType<Readable[typeof Symbol.asyncIterator]> & AsyncIterator<T>;
}

export interface ReadableSettings<T> {
  /** Splits a value of the source into the values to push. */
  readonly split: (value: T) => readonly unknown[];
  readonly objectMode: boolean;
  readonly highWaterMark: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes a stream. It requests the next value of the source when all earlier ones are read and `highWaterMark` allows it
 * (in pushed values; in bytes without object mode). Destroying the stream leaves the source; the stream closes after
 * that. Fails with ERR_USAGE for a null, which would end the stream.
 */
export function readableOf<T>(source: AsyncIterable<T>, reading: ReadableSettings<T>): Readable {
  const { split, objectMode, highWaterMark, signal } = reading;
  const steps = source[Symbol.asyncIterator]();
  let waiting: readonly unknown[] = [];
  let at = 0;

  const fill = async (stream: Readable) => {
    while (at === waiting.length) {
      const step = await steps.next();
      if (step.done === true) return void stream.push(null);
      waiting = split(step.value);
      at = 0;
    }
    push(stream);
  };
  /** Pushes one value for each `read`: `push` returns true even if a pipe has just paused. */
  const push = (stream: Readable) => {
    const value = waiting[at];
    at += 1;
    if (value === null) stream.destroy(nullItem());
    else stream.push(value);
  };

  const stream = new Readable({
    objectMode,
    highWaterMark,
    read() {
      if (at < waiting.length) push(this);
      else fill(this).catch((thrown) => this.destroy(thrown));
    },
    destroy(error, callback) {
      signal?.removeEventListener('abort', stop);
      waiting = [];
      at = 0;
      leave(steps).then(() => callback(error), callback);
    },
  });
  const stop = () => void stream.destroy(signal === undefined ? undefined : interruption(signal));
  signal?.addEventListener('abort', stop, { once: true });
  return stream;
}

const leave = async <T>(steps: AsyncIterator<T>): Promise<unknown> => steps.return?.();

const nullItem = () =>
  new ExtractError(
    'ERR_USAGE',
    'an item is null, which ends a stream of objects: read batches, bytes, or loop over items()',
  );
