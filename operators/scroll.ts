/** The walk over pages: expand over receipts, so that the recursion is the demand. */
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
 * Visits each request, then the request that its receipt names, until a receipt names none.
 *
 * ```
 * requests     a---------|
 * visit(a)     --(A|)              A.next = b
 * visit(b)       ---(B|)           B.next = undefined
 * receipts     --A--B----|
 * ```
 *
 * - A visit ends with one receipt, emitted when whatever the visit does is done; one without a receipt ends the walk.
 * - Never more than one visit under way: the next is subscribed to when the last has completed and been torn down. A
 *   visit that emits its receipt early is still waited for, and its receipt with it.
 * - A second request waits until the walk of the first has ended. Requests that wait are kept: do not feed it a flood.
 * - An error of a visit, or a throw, ends the walk; what was emitted stays. Unsubscribing unsubscribes from the visit
 *   under way.
 * - Visits should be asynchronous. Synchronous ones are taken off the stack by the queue scheduler: any number is safe,
 *   but they hold the thread until they are through.
 * - A request is never `undefined`: that is the end of a walk.
 */
export function scroll<Q, R extends Step<Q>>(visit: (request: Q) => Observable<R>): OperatorFunction<Q, R> {
  return concatMap((first) => of<Step<Q>>({ next: first }).pipe(expand(follow(visit), 1), skip(1)));
}

/**
 * The queue scheduler runs at once where nothing is under way, and after the running visit where that is on the stack.
 */
function follow<Q, R extends Step<Q>>(visit: (request: Q) => Observable<R>): (step: Step<Q>) => Observable<R> {
  return ({ next }) => (next === undefined ? EMPTY : visit(next).pipe(subscribeOn(queueScheduler)));
}
