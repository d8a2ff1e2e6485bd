/**
 * Turns abortable functions into observables: rxtract starts each asynchronous function here, so that unsubscribing
 * cancels it.
 */
import { Observable } from 'rxjs';

/**
 * Starts an abortable function once a subscription and emits what its promise resolves to.
 *
 * ```
 * subscription   ^--------!          ^---!
 * signal         |                   |   aborted
 * promise        ------v             ------v
 * result         ------(v|)          -----
 * ```
 *
 * - Cold: nothing runs before the subscription; each subscription has its own run and its own signal.
 * - Unsubscribing while the promise is pending aborts the signal; the outcome of the promise is then ignored.
 * - After the promise has settled the signal is never aborted, so the receiver owns what was opened.
 * - A rejection or a synchronous throw becomes an error notification with the thrown value.
 * - `outer` aborts from outside: its reason becomes the signal's, and the promise decides what follows. If it is
 *   aborted already, the result is an error with its reason, and nothing is started.
 */
export function fromAbortable<T>(start: (signal: AbortSignal) => Promise<T>, outer?: AbortSignal): Observable<T> {
  return new Observable((subscriber) => {
    if (outer?.aborted === true) {
      subscriber.error(outer.reason);
      return undefined;
    }
    const controller = new AbortController();
    const passOn = () => controller.abort(outer?.reason);
    let pending = true;

    outer?.addEventListener('abort', passOn);
    new Promise<T>((resolve) => resolve(start(controller.signal))).then(
      (value) => {
        pending = false;
        subscriber.next(value);
        subscriber.complete();
      },
      (thrown) => {
        pending = false;
        subscriber.error(thrown);
      },
    );

    return () => {
      outer?.removeEventListener('abort', passOn);
      if (pending) controller.abort();
    };
  });
}
