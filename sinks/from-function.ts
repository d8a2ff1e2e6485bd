/** Turns a function into a sink; the one sink that knows RxJS, as what the function returns may be an observable. */
import { from, fromEvent, lastValueFrom, map, takeUntil } from 'rxjs';
import type { Sink, SinkFunction } from '../src/types.js';
import { hasEnded, interrupted, throwIfAborted } from './refusal.js';
import { createTally } from './tally.js';

/**
 * Calls the function with each batch; the next batch waits until what it returned (an observable, a promise, an iterable) has
 * completed. Its values are dropped. An aborted signal unsubscribes. It cannot take back.
 */
export function fromFunction<Item = unknown>(take: SinkFunction<Item>): Sink<Item> {
  const tally = createTally();
  let ended = false;
  const end = () => {
    ended = true;
  };

  return {
    open: (dataType) => tally.open(dataType),
    async write(batch, signal) {
      if (ended) throw hasEnded('function');
      throwIfAborted(signal);
      const work = take(batch, signal);
      if (work !== undefined) {
        const done = from(work).pipe(takeUntil(failOnAbort(signal)));
        await lastValueFrom(done, { defaultValue: undefined });
      }
      tally.add(batch);
    },
    close: end,
    abort: end,
    summary: () => tally.summary(() => 'function'),
  };
}

/** Never emits and never completes; fails with ERR_ABORTED. */
function failOnAbort(signal: AbortSignal) {
  return fromEvent(signal, 'abort').pipe(
    map(() => {
      throw interrupted(signal);
    }),
  );
}
