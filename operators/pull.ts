/** Turns an asynchronous iterable into an observable that does not run ahead. */
import { defer, EMPTY, finalize, merge, mergeMap, type Observable, type ObservableInput, of, repeat } from 'rxjs';

/**
 * Requests one value at a time from the source and merges the result of `project`. The next value is requested when
 * that result has completed.
 *
 * ```
 * source       a b |             a is requested at once, b when x y is complete
 * project(a)   --x--y|
 * project(b)         --z|
 * result       --x--y--z|
 * ```
 *
 * - At most one value of the source is in progress, or `concurrent` of them: `project` is the place for asynchronous
 *   work. Nothing after the result holds the source back. Values are projected in the order of the source; with
 *   `concurrent`, that many are requested before the first has arrived.
 * - Cold: each subscription starts a new iteration, and requests nothing before.
 * - Unsubscribing, an error of `project` and a throw call `return` of the iterator, once, even while a value is
 *   requested; its outcome is ignored. A source that has ended or failed by itself is not called again.
 * - The iterator is called asynchronously, so any number of values needs no stack.
 */
export function pull<T, R>(
  source: AsyncIterable<T>,
  project: (value: T) => ObservableInput<R>,
  concurrent = 1,
): Observable<R> {
  return defer(() => {
    const iterator = source[Symbol.asyncIterator]();
    let isOver = false;
    const ask = async () => {
      try {
        const step = await iterator.next();
        isOver = step.done === true;
        return step;
      } catch (thrown) {
        isOver = true;
        throw thrown;
      }
    };
    const leave = () => {
      if (!isOver) iterator.return?.().catch(() => {});
      isOver = true;
    };
    const lane = defer(ask).pipe(
      mergeMap((step): ObservableInput<R> => (step.done === true ? EMPTY : project(step.value)), 1),
      repeat({ delay: () => (isOver ? EMPTY : of(true)) }),
    );
    return merge(...Array.from({ length: concurrent }, () => lane)).pipe(finalize(leave));
  });
}
