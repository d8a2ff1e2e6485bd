/** What the walks of a run have reached of the values that their jobs remember: by top-level job, job and parent. */

import { joinReached } from '../incremental/reached.js';
import type { ReachedWalk } from '../incremental/run-memory.js';
import { longestKeep } from './lane-marks.js';
import type { LaneReached, PageRecord, StoredReached } from './records.js';

export interface ReachedWalks {
  /** Undefined: no page of the job has reached anything, for this parent. */
  of(job: number, by: string): StoredReached | undefined;
  take(page: Pick<PageRecord, 'job' | 'took' | 'reached'>): void;
  /** What the jobs of a lane have reached, with a page that follows. Undefined: that is longer than a `keep` may be. */
  after(page: Pick<PageRecord, 'job' | 'took' | 'reached'>): readonly LaneReached[] | undefined;
  /** Replaces what the jobs of a lane have reached. */
  setLane(lane: number, reached: readonly LaneReached[]): void;
  all(): readonly LaneReached[];
  restore(all: readonly LaneReached[]): void;
}

/** The shortest text of an entry has as many characters at least. */
const leastLength = 50;

/** Starts empty. A page costs the same however many parents a lane has. */
export function createReachedWalks(): ReachedWalks {
  const lanes = new Map<number, Map<string, LaneReached>>();
  const entries = new Map<string, LaneReached>();
  const joined = ({
    job: lane,
    took,
    reached,
  }: Pick<PageRecord, 'job' | 'took' | 'reached'>): LaneReached | undefined =>
    reached === undefined ? undefined : [lane, took.job, join(entries.get(keyOf(took.job, reached.by))?.[2], reached)];
  const set = (entry: LaneReached) => {
    const [lane, job, { by }] = entry;
    const key = keyOf(job, by);
    entries.set(key, entry);
    lanes.set(lane, (lanes.get(lane) ?? new Map<string, LaneReached>()).set(key, entry));
  };
  return {
    of: (job, by) => entries.get(keyOf(job, by))?.[2],
    take(page) {
      const entry = joined(page);
      if (entry !== undefined) set(entry);
    },
    after(page) {
      const own = lanes.get(page.job) ?? new Map<string, LaneReached>();
      if (own.size * leastLength > longestKeep) return undefined;
      const entry = joined(page);
      const key = entry === undefined ? undefined : keyOf(entry[1], entry[2].by);
      const others = [...own].filter(([each]) => each !== key).map(([, each]) => each);
      return entry === undefined ? others : [...others, entry];
    },
    setLane(lane, reached) {
      for (const key of lanes.get(lane)?.keys() ?? []) entries.delete(key);
      lanes.delete(lane);
      reached.forEach(set);
    },
    all: () => [...entries.values()],
    restore: (all) => all.forEach(set),
  };
}

const keyOf = (job: number, by: string): string => `${job}/${by}`;

function join(before: StoredReached | undefined, page: StoredReached): StoredReached {
  const { isOver, isCut, by } = page;
  return {
    ...joinReached(before, page),
    by,
    ...(isOver === undefined ? {} : { isOver }),
    ...(isCut === undefined && before?.isCut === undefined ? {} : { isCut: true as const }),
  };
}

/** What two tasks of a shared run have reached, each by walks of its own. */
export function joinTasks(one: StoredReached, other: StoredReached): StoredReached {
  const { isOver: _, isCut: __, ...before } = one;
  return {
    ...joinReached(before, other),
    by: one.by,
    ...(one.isOver === true && other.isOver === true ? { isOver: true } : {}),
    ...(one.isCut === true || other.isCut === true ? { isCut: true } : {}),
  };
}

/** What the jobs have reached, by their names. */
export const reachedByName = (all: readonly LaneReached[], names: readonly string[]): readonly ReachedWalk[] =>
  all.map(([, job, reached]) => ({
    job: names[job] ?? '',
    by: reached.by,
    reached,
    isComplete: reached.isOver === true && reached.isCut === undefined,
  }));
