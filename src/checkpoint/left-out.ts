/** The requests of a run that failed and were left out, by top-level job. */
import { longestKeep } from './lane-marks.js';
import type { LaneFailure, PageDraft } from './records.js';

export interface LeftOut {
  take(page: Pick<PageDraft, 'job' | 'took' | 'again'>): void;
  /** Those of a lane, with that of a page that follows. Undefined: they are longer than a `keep` may be. */
  after(page: Pick<PageDraft, 'job' | 'took' | 'again'>): readonly LaneFailure[] | undefined;
  /** Replaces those of a lane. */
  setLane(lane: number, failures: readonly LaneFailure[]): void;
  all(): readonly LaneFailure[];
  restore(all: readonly LaneFailure[]): void;
}

/** Of more, only their number is known. */
export const mostKept = 10_000;

/** Starts empty. A page costs the same however many requests have failed before it. */
export function createLeftOut(): LeftOut {
  const lanes = new Map<number, { readonly failures: LaneFailure[]; length: number }>();
  let count = 0;
  const add = (failure: LaneFailure) => {
    const [job] = failure;
    const lane = lanes.get(job) ?? { failures: [], length: 0 };
    lane.failures.push(failure);
    lane.length += JSON.stringify(failure).length;
    lanes.set(job, lane);
    count += 1;
  };
  return {
    take(page) {
      const failure = failureOf(page);
      if (failure !== undefined && count < mostKept) add(failure);
    },
    after(page) {
      const { failures = [], length = 0 } = lanes.get(page.job) ?? {};
      if (length > longestKeep) return undefined;
      const failure = failureOf(page);
      return failure === undefined ? failures : [...failures, failure];
    },
    setLane(lane, own) {
      count -= lanes.get(lane)?.failures.length ?? 0;
      lanes.delete(lane);
      own.forEach(add);
    },
    all: () => [...lanes.values()].flatMap(({ failures }) => failures),
    restore(all) {
      lanes.clear();
      count = 0;
      all.forEach(add);
    },
  };
}

function failureOf({ job, took, again }: Pick<PageDraft, 'job' | 'took' | 'again'>): LaneFailure | undefined {
  const { skipped } = took;
  return skipped === undefined ? undefined : [job, took.job, again === undefined ? skipped : { ...skipped, again }];
}
