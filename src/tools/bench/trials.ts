/** Runs all that is to be compared, in turn: a slower minute of the machine or of the API then affects all alike. */

import type { ParsedArguments } from '../../cli/arguments.js';
import type { Shell } from '../../cli/shell.js';
import type { Notify } from '../../core/model/notice.js';
import type { OnActivity } from '../../page/progress.js';
import type { Extraction } from '../../run/extraction.js';
import { grouped } from '../text/format.js';
import { type FailedRun, type MeasuredRun, measureRun } from './measure-run.js';
import type { BenchSettings } from './settings.js';

/** One set of options. */
export interface Trial {
  /** The option that a sweep has set, and its value; absent: the options as given. */
  readonly swept?: { readonly option: string; readonly value: string };
  readonly args: ParsedArguments;
}

/** First the options as given, then each value of each sweep. */
export const trialsOf = ({ sweeps }: Pick<BenchSettings, 'sweeps'>, args: ParsedArguments): readonly Trial[] => [
  { args },
  ...sweeps.flatMap(({ option, values }) =>
    values.map((value) => ({ swept: { option, value }, args: withOption(args, option, value) })),
  ),
];

/** The arguments with one option set. */
export const withOption = (args: ParsedArguments, option: string, value: string): ParsedArguments => ({
  ...args,
  has: (name) => name === option || args.has(name),
  list: (name) => (name === option ? [value] : args.list(name)),
  last: (name) => (name === option ? value : args.last(name)),
});

export interface TrialContext {
  /** Prepares a run with the options of a trial. */
  prepare(trial: Trial, onActivity: OnActivity): Promise<Extraction>;
  readonly notify: Notify;
  readonly shell: Shell;
}

/** The measured runs of each trial, in order. */
export type TrialRuns = ReadonlyMap<Trial, readonly MeasuredRun[]>;

/** Resolves with the runs that count, or with the result of the first run that fails. */
export async function runTrials(
  trials: readonly Trial[],
  { repeat, warmUp }: Pick<BenchSettings, 'repeat' | 'warmUp'>,
  { prepare, notify, shell }: TrialContext,
): Promise<TrialRuns | FailedRun> {
  const runs = new Map<Trial, MeasuredRun[]>(trials.map((trial) => [trial, []]));
  for (let round = 0; round < warmUp + repeat; round++) {
    const name = round < warmUp ? `warm-up ${round + 1} of ${warmUp}` : `run ${round + 1 - warmUp} of ${repeat}`;
    for (const trial of trials) {
      const run = await measureRun({ prepare: (onActivity) => prepare(trial, onActivity), notify, shell });
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
