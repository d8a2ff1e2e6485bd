/** A base for sinks that pass batches on and cannot roll back. */
import type { Batch } from '../src/core/model/batch.js';
import type { Sink } from './contract.js';
import type { Counts } from './counts.js';
import { hasEnded, throwIfAborted } from './errors.js';

export interface PassingOn<Item> {
  /** The name in messages. */
  readonly name: string;
  /** The destination in the summary. */
  readonly output: string;
  /** Counts the batches passed on. */
  readonly tally: Counts;
  /** Settles when the batch has been accepted. */
  handOn(batch: Batch<Item>, signal: AbortSignal): void | Promise<void>;
}

/** Creates a sink without rollback. Throws ERR_SINK after its end, ERR_ABORTED, and the errors of `handOn`. */
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
