import type { Batch } from '../src/core/model/batch.js';
import type { Sink } from './contract.js';
import type { Counts } from './counts.js';
import { hasEnded, throwIfAborted } from './errors.js';

export interface PassingOn<Item> {
  /** What messages call the sink. */
  readonly name: string;
  /** What its summary says of where items went. */
  readonly output: string;
  /** Counts what has been handed on. */
  readonly tally: Counts;
  /** Settles when the batch has been taken. */
  handOn(batch: Batch<Item>, signal: AbortSignal): void | Promise<void>;
}

/** Makes a sink that cannot take back. Throws ERR_SINK after its end, ERR_ABORTED, and what `handOn` throws. */
export function passThrough<Item = unknown>({ name, output, tally, handOn }: PassingOn<Item>): Sink<Item> {
  let ended = false;
  const end = () => {
    ended = true;
  };

  return {
    name,
    open: (dataType) => tally.open(dataType),
    async write(batch, signal) {
      if (ended) throw hasEnded(name);
      throwIfAborted(signal);
      await handOn(batch, signal);
      tally.add(batch);
    },
    close: end,
    abort: end,
    summary: () => tally.summary(() => output),
  };
}
