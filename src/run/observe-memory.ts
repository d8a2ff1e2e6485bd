/** Reports to an observer which dates the jobs of a run remember. */

import type { RememberedMoment, RunObserver } from '../http/observer.js';
import { rankDigits } from '../incremental/ordered-value.js';
import { storedValue } from '../incremental/reached.js';
import { noMemory, type RunMemory } from '../incremental/run-memory.js';
import type { IncrementalRun } from './incremental-run.js';

/** The same increments; the observer learns what is remembered before the run, and after it. */
export function observeMemory(
  increments: IncrementalRun,
  observer: Pick<RunObserver, 'remembers'>,
  before: RunMemory = noMemory,
): IncrementalRun {
  const report = (memory: RunMemory) => observer.remembers(momentsIn(memory));
  report(before);
  return {
    ...increments,
    remember(walks) {
      const memory = increments.remember(walks);
      if (memory !== undefined) report(memory);
      return memory;
    },
  };
}

/** A job that remembers a value for each parent has the oldest of them. Numbers and texts are no moments. */
export function momentsIn({ jobs }: RunMemory): readonly RememberedMoment[] {
  return Object.entries(jobs).flatMap(([job, { values }]) => {
    const moments = Object.values(values).flatMap(({ value, order }) => {
      const stored = order === 'date' ? storedValue(value, order) : undefined;
      return stored === undefined ? [] : [Number(stored.rank / msRank)];
    });
    return moments.length === 0 ? [] : [{ job, at: moments.reduce((oldest, at) => Math.min(oldest, at)) }];
  });
}

/** Ranks are in 10^-30 s. */
const msRank = 10n ** BigInt(rankDigits - 3);
