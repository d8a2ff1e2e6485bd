/** Accepts batches before its sink has taken the ones before them: reading and writing overlap within a page. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Sink, SinkFunction } from '../contract.js';
import { delegate } from '../delegate.js';
import { orAborted } from '../errors.js';
import { sinkOf } from '../from-function.js';
import type { AnySink } from '../legacy-sink.js';
import { createWriteQueue, type WriteQueue } from './write-queue.js';

/**
 * Lets up to `most` batches of a data type be on their way to a sink before `write` waits; each has up to 1 MiB, or one
 * item. The sink gets them one after the other. A page counts when all its batches have been taken, so this helps with
 * pages of several batches. The recovery of the sink stays. Throws ERR_USAGE unless `most` is a whole number from 1.
 */
export function ahead<Item = unknown>(to: AnySink<Item> | SinkFunction<Item>, most: number): Sink<Item> {
  if (!Number.isSafeInteger(most) || most < 1) {
    throw new ExtractError('ERR_USAGE', 'ahead: expected a whole number of batches from 1 up');
  }
  const sink: Sink = sinkOf(to);
  const queue = createWriteQueue('ahead');
  return delegate(sink, {
    ...queued(sink, queue),
    async write(batch, signal) {
      queue.mayWrite(signal);
      await queue.below(batch.dataType, most, signal);
      queue.mayWrite(signal);
      queue.add(batch.dataType, (own) => sink.write(batch, own));
    },
  });
}

/**
 * The calls of a sink behind a queue: each of them waits for the writes on their way. `flush` puts what waits into the
 * queue, `drop` forgets it; without a data type for all.
 */
export function queued(
  sink: Sink,
  queue: WriteQueue,
  { flush, drop }: QueuedOptions = { flush() {}, drop() {} },
): Partial<Sink> {
  const { durable, rollback } = sink;
  const settled = async (dataType?: string) => {
    flush(dataType);
    await queue.settled(dataType);
  };
  return {
    open(dataType, job, opening) {
      queue.open(opening);
      return sink.open?.(dataType, job, opening);
    },
    async prepare(page, signal) {
      await orAborted(settled(page.dataType), signal);
      await sink.prepare?.(page, signal);
    },
    async commit(page, signal) {
      try {
        await orAborted(settled(page.dataType), signal);
      } catch (thrown) {
        drop(page.dataType);
        throw thrown;
      }
      return sink.commit?.(page, signal);
    },
    ...(rollback === undefined
      ? {}
      : {
          async rollback(dataType) {
            drop(dataType);
            await queue.cancel(dataType);
            await rollback.call(sink, dataType);
          },
        }),
    ...(durable === undefined
      ? {}
      : {
          async durable() {
            await settled();
            await durable.call(sink);
          },
        }),
    async close(closing) {
      await queue.end();
      await settled();
      await sink.close(closing);
    },
    async abort(reason) {
      drop();
      await queue.end(reason ?? new ExtractError('ERR_ABORTED', 'the run was interrupted'));
      await sink.abort(reason);
    },
  };
}

interface QueuedOptions {
  readonly flush: (dataType?: string) => void;
  readonly drop: (dataType?: string) => void;
}
