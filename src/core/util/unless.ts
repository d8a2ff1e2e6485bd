/** Ends a run when something outside it fails. */
import { defer, finalize, merge, type Observable, Subject, takeUntil } from 'rxjs';

/**
 * Fails with an error of `faults` while the run lasts; an earlier one fails it before it begins.
 *
 * ```
 * faults   ------------#
 * run      --a--b----c--d|
 * result   --a--b----c-#
 * ```
 */
export const unless = <T>(faults: Observable<never>, run: Observable<T>): Observable<T> =>
  defer(() => {
    const over = new Subject<void>();
    return merge(faults.pipe(takeUntil(over)), run.pipe(finalize(() => over.next())));
  });
