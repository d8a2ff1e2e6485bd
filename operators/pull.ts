/** From an asynchronous iterable to an observable that does not run ahead: the way into RxJS for what is pulled. */
import { defer, EMPTY, finalize, merge, mergeMap, type Observable, type ObservableInput, of, repeat } from 'rxjs';

/**
 * Asks the source for one value at a time and merges what `project` makes of it; the next value is asked for when that
 * has completed.
 *
 * ```
 * source       a b |             asked for a at once, for b when x y is over
 * project(a)   --x--y|
 * project(b)         --z|
 * result       --x--y--z|
 * ```
 *
 * - Never more than one value of the source is under way, or `concurrent` of them: `project` is where asynchronous work
 *   belongs. Behind the result nothing holds the source back. Values are projected in the order in which the source
 *   gives them; with `concurrent` it is asked for as many before it has given the first.
 * - Cold: each subscription iterates anew, and asks for nothing before.
 * - Unsubscribing, an error of `project` and a throw call `return` of the iterator, once, also while it is still asked
 *   for a value; nobody waits for what that comes to. A source that has ended or failed by itself is left alone.
 * - The iterator is asked asynchronously, so that any number of values takes no stack.
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
