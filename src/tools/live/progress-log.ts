/** Progress in a log, for a run without a live display: every 10 seconds each job that runs. */
import { asyncScheduler, interval } from 'rxjs';
import type { Outlook } from '../../core/model/outlook.js';
import type { Receipt } from '../../core/model/page.js';
import type { DisplayState } from './display.js';
import { createModel, type DisplayModel, type DisplayRow } from './model.js';

export interface ProgressLog {
  /** Starts the time. Earlier events are ignored. */
  show(jobs: () => readonly DisplayState[]): void;
  onOutlook(outlook: Outlook): void;
  /** `at` in epoch ms. */
  onReceipt(receipt: Receipt, at: number): void;
  end(): void;
}

const everyMs = 10_000;

/**
 * `write` gets a row of each job that runs. Shorter runs have none. `isTimed`: by the clock, from `asyncScheduler`;
 * otherwise with the first page after so long, as a timer would move the time of a recording.
 */
export function createProgressLog(
  write: (row: DisplayRow) => void,
  { isTimed }: { readonly isTimed: boolean },
): ProgressLog {
  let model: DisplayModel | undefined;
  let tick = (_: number) => {};
  let lastAt = 0;
  let end = () => {};

  return {
    show(jobs) {
      const shown = createModel(jobs());
      model = shown;
      lastAt = asyncScheduler.now();
      tick = (at) => {
        lastAt = at;
        shown.settle(jobs(), at);
        for (const row of shown.rows(at)) if (row.phase === 'running') write(row);
        shown.sample(at);
      };
      if (!isTimed) return;
      const timer = interval(everyMs).subscribe(() => tick(asyncScheduler.now()));
      end = () => timer.unsubscribe();
    },
    onOutlook: (outlook) => model?.onOutlook(outlook, asyncScheduler.now()),
    onReceipt(receipt, at) {
      model?.onReceipt(receipt, at);
      if (!isTimed && model !== undefined && at - lastAt >= everyMs) tick(at);
    },
    end: () => end(),
  };
}
