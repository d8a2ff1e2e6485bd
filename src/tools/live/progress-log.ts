/** Progress in a log, for a run without a live display: every 10 seconds each job that runs. */
import { asyncScheduler, interval } from 'rxjs';
import type { Outlook } from '../../core/model/outlook.js';
import type { Receipt } from '../../core/model/page.js';
import type { DisplayState } from './display.js';
import { createModel, type DisplayModel, type DisplayRow } from './model.js';
import { describeTasks, describeWorkers, type SharedProgress } from './shared-progress.js';

export interface ProgressLog {
  /** Starts the time. Earlier events are ignored. */
  show(jobs: () => readonly DisplayState[]): void;
  onOutlook(outlook: Outlook): void;
  /** `at` in epoch ms. */
  onReceipt(receipt: Receipt, at: number): void;
  /** Of a run that many processes share, in place of all others. */
  onShared(progress: SharedProgress): void;
  end(): void;
}

const everyMs = 10_000;

export interface ProgressLogOptions {
  /**
   * By the clock, from `asyncScheduler`; otherwise with the first page after so long, as a timer would move the time of
   * a recording.
   */
  readonly isTimed: boolean;
  /** Gets how far the tasks of a shared run are. */
  readonly writeTasks: (text: string) => void;
}

/** `write` gets a row of each job that runs. Shorter runs have none. */
export function createProgressLog(
  write: (row: DisplayRow) => void,
  { isTimed, writeTasks }: ProgressLogOptions,
): ProgressLog {
  let shared: SharedProgress | undefined;
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
        if (shared !== undefined) writeTasks(`${describeTasks(shared.tasks)}${describeWorkers(shared)}`);
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
    onShared(progress) {
      shared = progress;
      for (const totals of progress.totals) model?.onTotals(totals, asyncScheduler.now());
    },
    end: () => end(),
  };
}
