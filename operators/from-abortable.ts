/**
 * The door from promises to observables: each asynchronous function of rxtract is started here, so that unsubscribing
 * reaches it.
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
 * - Unsubscribing while the promise is pending aborts the signal; what the promise then does is heard by nobody.
 * - A settled promise ends the signal's part: it is never aborted later, so what was opened belongs to the receiver.
 * - A rejection and a synchronous throw become an error notification, the thrown value as it is.
 * - `outer` aborts from outside: its reason becomes the signal's, and the promise decides what comes of it. One that is
 *   aborted already is an error at once, with its reason; nothing is started.
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
