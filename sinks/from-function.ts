/** Turns a function into a sink. The only sink that uses RxJS, because the function may return an observable. */
import { from, fromEvent, lastValueFrom, map, takeUntil } from 'rxjs';
import type { Sink, SinkFunction } from './contract.js';
import { createTally } from './counts.js';
import { interrupted } from './errors.js';
import { passThrough } from './pass-through.js';

/**
 * Calls the function with each batch; the next batch waits until the result (an observable, a promise, an iterable) has
 * completed. Ignores its values. An aborted signal unsubscribes. The sink cannot roll back.
 */
export const fromFunction = <Item = unknown>(take: SinkFunction<Item>): Sink<Item> =>
  passThrough<Item>({
    name: 'function',
    output: 'function',
    tally: createTally(),
    async handOn(batch, signal) {
      const work = take(batch, signal);
      if (work === undefined) return;
      await lastValueFrom(from(work).pipe(takeUntil(failOnAbort(signal))), { defaultValue: undefined });
    },
  });

/** The sink of what a program may give: a sink, or a function. */
export const sinkOf = <Item>(to: Sink<Item> | SinkFunction<Item>): Sink<Item> =>
  typeof to === 'function' ? fromFunction(to) : to;

/** Never emits and never completes; fails with ERR_ABORTED. */
function failOnAbort(signal: AbortSignal) {
  return fromEvent(signal, 'abort').pipe(
    map(() => {
      throw interrupted(signal);
    }),
  );
}
