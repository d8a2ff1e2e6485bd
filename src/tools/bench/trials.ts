/** Runs all that is to be compared, in turn: a slower minute of the machine or of the API then affects all alike. */

import type { Notify } from '../../core/model/notice.js';
import type { OnActivity } from '../../page/progress.js';
import type { Extraction } from '../../run/extraction.js';
import type { ExtractOptions } from '../../run/options.js';
import { grouped } from '../text/format.js';
import { type FailedRun, type MeasuredRun, measureRun } from './measure-run.js';
import type { MeasureSettings, Sweep } from './settings.js';

/** One set of options. */
export interface Trial {
  /** The option that a sweep has set, and its value; absent: the options as given. */
  readonly swept?: { readonly option: string; readonly value: string };
  readonly options: ExtractOptions;
}

/** First the options as given, then each value of each sweep. */
export const trialsOf = (sweeps: readonly Sweep[], options: ExtractOptions): readonly Trial[] => [
  { options },
  ...sweeps.flatMap(({ option, values }) =>
    values.map((value) => ({ swept: { option, value }, options: { ...options, [option]: Number(value) } })),
  ),
];

export interface TrialContext {
  /** Prepares a run with the options of a trial. */
  prepare(trial: Trial, onActivity: OnActivity): Promise<Extraction>;
  readonly notify: Notify;
  /** Ends the runs. */
  readonly signal?: AbortSignal;
}

/** The measured runs of each trial, in order. */
export type TrialRuns = ReadonlyMap<Trial, readonly MeasuredRun[]>;

/** Resolves with the runs that count, or with the result of the first run that fails. */
export async function runTrials(
  trials: readonly Trial[],
  { repeat, warmUp }: Pick<MeasureSettings, 'repeat' | 'warmUp'>,
  { prepare, notify, signal }: TrialContext,
): Promise<TrialRuns | FailedRun> {
  const runs = new Map<Trial, MeasuredRun[]>(trials.map((trial) => [trial, []]));
  for (let round = 0; round < warmUp + repeat; round++) {
    const name = round < warmUp ? `warm-up ${round + 1} of ${warmUp}` : `run ${round + 1 - warmUp} of ${repeat}`;
    for (const trial of trials) {
      const run = await measureRun((onActivity) => prepare(trial, onActivity), signal);
      if (!('result' in run)) return run;
      notify({ level: 'info', code: 'bench', message: `${name}${nameOf(trial)}: ${describe(run)}` });
      if (round >= warmUp) runs.get(trial)?.push(run);
    }
  }
  return runs;
}

const nameOf = ({ swept }: Trial): string => (swept === undefined ? '' : `, ${swept.option} ${swept.value}`);

const describe = ({ result: { seconds, pages, items, itemsPerSecond } }: MeasuredRun): string =>
  `${grouped(pages)} pages, ${grouped(items)} items in ${seconds.toFixed(2)} s, ${grouped(Math.round(itemsPerSecond))} items/s`;
