/** A run that lasts only as long as nothing beside it fails. */
import { defer, finalize, merge, type Observable, Subject, takeUntil } from 'rxjs';

/**
 * Fails with the faults while the run lasts, and with an earlier one before it begins.
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
