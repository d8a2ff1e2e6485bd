/** The walk over pages: expands receipts, so that a receipt demands the next page. */
import {
  concatMap,
  EMPTY,
  expand,
  type Observable,
  type OperatorFunction,
  of,
  queueScheduler,
  skip,
  subscribeOn,
} from 'rxjs';

interface Step<Q> {
  readonly next?: Q | undefined;
}

/**
 * Visits each request, then the request in its receipt, until a receipt has none.
 *
 * ```
 * requests     a---------|
 * visit(a)     --(A|)              A.next = b
 * visit(b)       ---(B|)           B.next = undefined
 * receipts     --A--B----|
 * ```
 *
 * - A visit emits one receipt at its end; a visit without a receipt ends the walk.
 * - At most one visit runs: the next is subscribed to when the last has completed and is torn down. If a visit emits
 *   its receipt early, visit and receipt are still waited for.
 * - A second request waits until the walk of the first has ended. Waiting requests are held in memory.
 * - An error of a visit, or a throw, ends the walk; earlier receipts stay emitted. Unsubscribing unsubscribes from the
 *   running visit.
 * - Visits should be asynchronous. The queue scheduler takes synchronous ones off the stack: any number is safe, but
 *   they block the thread until all are done.
 * - A request is never `undefined`: that is the end of a walk.
 */
export function scroll<Q, R extends Step<Q>>(visit: (request: Q) => Observable<R>): OperatorFunction<Q, R> {
  return concatMap((first) => scrollFrom(first, visit));
}

/** The walk of one request, as `scroll` makes it of each. */
export const scrollFrom = <Q, R extends Step<Q>>(first: Q, visit: (request: Q) => Observable<R>): Observable<R> =>
  of<Step<Q>>({ next: first }).pipe(expand(follow(visit), 1), skip(1));

/** The queue scheduler runs at once if nothing else runs, and otherwise after the running visit. */
function follow<Q, R extends Step<Q>>(visit: (request: Q) => Observable<R>): (step: Step<Q>) => Observable<R> {
  return ({ next }) => (next === undefined ? EMPTY : visit(next).pipe(subscribeOn(queueScheduler)));
}
