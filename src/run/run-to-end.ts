/** A run that is its only subscriber's: to its end, or to a signal. */
import { fromEvent, NEVER, takeUntil } from 'rxjs';
import type { Receipt } from '../core/model/page.js';
import type { Extraction } from './extraction.js';

/**
 * Runs all jobs, and calls `page` with each page. Resolves when the sinks are closed or aborted, with what has failed,
 * or with the reason of the signal.
 */
export async function runToEnd(
  { receipts, closed }: Pick<Extraction, 'receipts' | 'closed'>,
  page: (receipt: Receipt) => void,
  signal?: AbortSignal,
): Promise<unknown> {
  const isAborted = () => signal?.aborted === true;
  if (isAborted()) return signal?.reason;
  const aborted = signal === undefined ? NEVER : fromEvent(signal, 'abort');
  const failure = await receipts
    .pipe(takeUntil(aborted))
    .forEach(page)
    .catch((thrown: unknown) => thrown);
  await closed;
  return isAborted() ? signal?.reason : failure;
}
