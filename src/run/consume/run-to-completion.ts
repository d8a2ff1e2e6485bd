/** Runs receipts to their end for code that has no subscription of its own to make. */
import { lastValueFrom, merge, NEVER, type Observable, takeUntil, tap } from 'rxjs';
import type { Receipt } from '../../core/model/page.js';
import { aborted, interruption } from '../lifecycle.js';

export interface Driving {
  /** Called with each receipt. */
  readonly onReceipt?: ((receipt: Receipt) => void) | undefined;
  /** Any of them interrupts the run, also one that was aborted before. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

export interface CompletedRun {
  readonly receipts: Observable<Receipt>;
  /** Settles when all that the run held has been let go. */
  readonly closed: Promise<void>;
}

/** Begins a run and settles when it is over and closed. Rejects with its error, or ERR_ABORTED. */
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
