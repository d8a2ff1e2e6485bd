import { type JobStats, noStats, withPage } from '../core/model/job-stats.js';
import type { StoredRows } from '../page/row-buffer.js';
import type { BeginRecord, OutputPosition, PageRecord, SnapshotRecord, StateRecord } from './records.js';
import { createWalks, type Walk } from './walks.js';

export type Phase = 'writing' | 'publishing' | 'done';

export interface Position {
  readonly begin: BeginRecord;
  readonly phase: Phase;
  /** What the run told of its outputs when it was done, as JSON text. */
  readonly told: string;
  /** Records of pages and ends so far. */
  readonly count: number;
  /** Undefined: the job has not got a page yet. */
  walkOf(job: number): Walk | 'over' | undefined;
  readonly outputs: Iterable<OutputPosition>;
  readonly shares: ReadonlyMap<number, JobStats>;
  /** Those that are still needed. */
  rows(): readonly StoredRows[];
  /** Takes the next record. */
  apply(record: StateRecord): void;
  snapshot(): SnapshotRecord;
}

/** Whether it is a page or an end. */
export const isCounted = ({ is }: StateRecord): boolean => is === 'page' || is === 'over';

/** Starts with nothing but the beginning. */
export function createPosition(begin: BeginRecord): Position {
  const walks = createWalks();
  const outputs = new Map<string, OutputPosition>();
  const setOutput = (output: OutputPosition) => outputs.set(`${output[0]}.${output[1]}`, output);
  const shares = new Map<number, JobStats>();
  let [phase, told]: readonly [Phase, string] = ['writing', '[]'];
  let count = 0;

  const takePage = (page: PageRecord) => {
    walks.take(page);
    page.outputs?.forEach(setOutput);
    shares.set(page.took.job, withPage(shares.get(page.took.job) ?? noStats, page.took));
  };
  const takeSnapshot = (snapshot: SnapshotRecord) => {
    count = snapshot.count;
    walks.restore(snapshot.jobs);
    snapshot.outputs.forEach(setOutput);
    for (const share of snapshot.shares) shares.set(...share);
  };

  return {
    begin,
    get phase() {
      return phase;
    },
    get told() {
      return told;
    },
    get count() {
      return count;
    },
    walkOf: walks.of,
    get outputs() {
      return outputs.values();
    },
    ...{ shares, rows: walks.rows },
    apply(record) {
      if (isCounted(record)) count += 1;
      if (record.is === 'page') takePage(record);
      else if (record.is === 'over') walks.end(record.job);
      else if (record.is === 'snapshot') takeSnapshot(record);
      else if (record.is === 'publishing' || record.is === 'done') [phase, told] = [record.is, record.told ?? '[]'];
    },
    snapshot() {
      const all = { outputs: [...outputs.values()], shares: [...shares] };
      return { is: 'snapshot', count, jobs: walks.kept(), ...all };
    },
  };
}
