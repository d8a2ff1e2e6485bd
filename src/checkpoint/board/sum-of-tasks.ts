/**
 * The sum of the journals of a shared run: what the task that publishes it continues from, as if one process had done
 * all of it.
 */
import { type JobStats, joinStats, noStats } from '../../core/model/job-stats.js';
import { mostKept } from '../left-out.js';
import { createPosition, type Position } from '../position.js';
import { joinTasks } from '../reached-walks.js';
import {
  type BeginRecord,
  type LaneFailure,
  type LaneReached,
  type MemberOutputs,
  recordIn,
  type SnapshotRecord,
} from '../records.js';
import { createValidatedPages } from '../validated-pages.js';

/** A task that is done. Its first record, which says what the run began with, may be missing. */
export interface TaskJournal {
  readonly task: string;
  readonly records: readonly string[];
}

/** `begin`: of the run. */
export async function sumOfTasks(begin: BeginRecord, journals: AsyncIterable<TaskJournal>): Promise<SnapshotRecord> {
  const sum = createSum();
  for await (const { task, records } of journals) {
    const position = createPosition(begin);
    for (const text of records) position.apply(recordIn(text));
    sum.add(task, position);
  }
  return sum.snapshot();
}

/** Walks are complete, and lanes have ended: neither is in the sum. */
function createSum() {
  const shares = new Map<number, JobStats>();
  const reached = new Map<string, LaneReached>();
  const failures: LaneFailure[] = [];
  const pages = createValidatedPages();
  const weakened = new Set<number>();
  const members: MemberOutputs[] = [];
  let [count, time] = [0, 0];
  return {
    add(task: string, position: Position) {
      count += position.count;
      time = Math.max(time, position.time);
      for (const [job, share] of position.shares) shares.set(job, joinStats(shares.get(job) ?? noStats, share));
      for (const [lane, job, own] of position.reached()) {
        const key = `${job}/${own.by}`;
        const before = reached.get(key)?.[2];
        reached.set(key, [lane, job, before === undefined ? own : joinTasks(before, own)]);
      }
      failures.push(...position.failures().slice(0, mostKept - failures.length));
      pages.restore(position.pages());
      for (const sink of position.weakened) weakened.add(sink);
      const outputs = [...position.outputs];
      if (outputs.length > 0) members.push([task, outputs]);
    },
    snapshot: (): SnapshotRecord => ({
      type: 'snapshot',
      count,
      jobs: [],
      outputs: [],
      shares: [...shares],
      lanes: [],
      marks: [],
      lanesOf: [],
      time,
      weakened: [...weakened],
      reached: [...reached.values()],
      failures,
      pages: pages.all(),
      members,
    }),
  };
}
