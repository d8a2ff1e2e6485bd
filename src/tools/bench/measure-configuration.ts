/** Measures a configuration: its runs, with each value of a sweep in turn, and their figures. */
import { asyncScheduler } from 'rxjs';
import type { ExactObject } from '../../core/json/exact.js';
import type { Notify } from '../../core/model/notice.js';
import type { Secrets } from '../../core/model/secrets.js';
import { defined } from '../../core/util/defined.js';
import { extract } from '../../run/extract.js';
import type { ExtractOptions } from '../../run/options.js';
import { prepare } from '../text/errors.js';
import type { FailedRun } from './measure-run.js';
import type { BenchResult } from './result.js';
import type { MeasureSettings } from './settings.js';
import { summarize } from './summarize.js';
import { runTrials, trialsOf } from './trials.js';

export interface MeasureOptions extends MeasureSettings {
  /** The name of the configuration. */
  readonly label: string;
  /** Of the runs. */
  readonly options: ExtractOptions;
  /** The same as they were written; the result shows them masked. */
  readonly shownOptions: Readonly<Record<string, string>>;
  /** Opens the destinations of one run. */
  openSinks(notify: Notify): Pick<ExtractOptions, 'to' | 'onItemError'>;
  readonly notify: Notify;
  /** Masks what the user has written. */
  readonly mask: (text: string) => string;
  /** Receives what masks the texts of each run. */
  maskWith(mask: Secrets['mask']): void;
  /** Ends the runs. */
  readonly signal?: AbortSignal;
}

/** Resolves with the figures, or with the first run that has failed. Rejects with ERR_CONFIG and ERR_USAGE. */
export async function measureConfiguration(
  content: ExactObject,
  { label, options, shownOptions, openSinks, mask, maskWith, signal, ...given }: MeasureOptions,
): Promise<BenchResult | FailedRun> {
  const notify = once(given.notify);
  const startedAt = asyncScheduler.now();
  const runs = await runTrials(trialsOf(given.sweeps, options), given, {
    async prepare(trial, onActivity) {
      const allow = [...(trial.options.allow ?? []), ...unimportant(given)];
      const extraction = await prepare(label, () =>
        extract(content, { ...trial.options, ...openSinks(notify), allow, onActivity, notify }),
      );
      maskWith(extraction.mask);
      return extraction;
    },
    notify,
    ...defined({ signal }),
  });
  if ('summary' in runs) return runs;
  // Each run has added what it masks.
  const shown = Object.entries(shownOptions).map(([name, text]) => [name, mask(text)]);
  return summarize(runs, { settings: given, label, startedAt, mask, options: Object.fromEntries(shown) });
}

/**
 * Warnings that say nothing about a measurement: a response from the cache would be none, and the generated API really
 * has a round number of items.
 */
const unimportant = ({ server }: MeasureSettings): readonly string[] => [
  'cache-not-used',
  ...(server === undefined ? [] : ['round-end']),
];

/** Each run would repeat the same notices. */
function once(notify: Notify): Notify {
  const seen = new Set<string>();
  return (notice) => {
    const text = `${notice.job} ${notice.message}`;
    if (notice.code !== 'retry' && seen.has(text)) return;
    seen.add(text);
    notify(notice);
  };
}
