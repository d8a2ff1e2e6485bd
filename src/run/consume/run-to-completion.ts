/** Runs receipts to their end, for callers that make no subscription. */
import { lastValueFrom, merge, NEVER, type Observable, takeUntil, tap } from 'rxjs';
import type { Receipt } from '../../core/model/page.js';
import { aborted, interruption } from '../lifecycle.js';

export interface Driving {
  /** Called with each receipt. */
  readonly onReceipt?: ((receipt: Receipt) => void) | undefined;
  /** Each of them interrupts the run, even if it was aborted before. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

export interface CompletedRun {
  readonly receipts: Observable<Receipt>;
  /** Settles when the run has released everything. */
  readonly closed: Promise<void>;
}

/** Starts a run and settles when it is complete and closed. Rejects with its error, or ERR_ABORTED. */
export async function runToCompletion(
  begin: () => CompletedRun,
  { onReceipt = () => {}, signals }: Driving,
): Promise<void> {
  for (const signal of signals) if (signal?.aborted === true) throw interruption(signal);
  const { receipts, closed } = begin();
  const stopped = merge(NEVER, ...signals.flatMap((signal) => (signal === undefined ? [] : [aborted(signal)])));
  try {
    await lastValueFrom(receipts.pipe(tap(onReceipt), takeUntil(stopped)), { defaultValue: undefined });
  } finally {
    await closed;
  }
}
