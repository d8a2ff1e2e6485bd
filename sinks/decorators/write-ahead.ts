/** Accepts batches before its sink has taken the ones before them: reading and writing overlap within a page. */
import { whole } from '../../src/core/options/kinds.js';
import { valueInCode } from '../../src/core/options/read-options.js';
import type { Sink, SinkFunction } from '../contract.js';
import { delegate } from '../delegate.js';
import { sinkOf } from '../from-function.js';
import { createWriteQueue, queued } from './write-queue.js';

/**
 * Lets up to `most` batches of a data type be on their way to a sink before `write` waits; each has up to 1 MiB, or one
 * item. The sink gets them one after the other. A page counts when all its batches have been taken, so this helps with
 * pages of several batches. The recovery of the sink stays. Throws ERR_USAGE unless `most` is a whole number from 1.
 */
export function ahead<Item = unknown>(to: Sink<Item> | SinkFunction<Item>, most: number): Sink<Item> {
  valueInCode('ahead', whole(1, undefined, { name: 'a whole number of batches' }), most);
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
