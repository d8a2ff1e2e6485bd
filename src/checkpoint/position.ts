import { type JobStats, noStats, withPage } from '../core/model/job-stats.js';
import type { StoredRows } from '../page/row-buffer.js';
import type { BeginRecord, PageRecord, PhaseRecord, SnapshotRecord, StateRecord } from './records.js';
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
  /** Checkpoints as JSON text. */
  readonly outputs: ReadonlyMap<number, string>;
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
  const outputs = new Map<number, string>();
  const shares = new Map<number, JobStats>();
  let stage: Pick<Position, 'phase' | 'told'> = { phase: 'writing', told: '[]' };
  let count = 0;

  const takePage = (page: PageRecord) => {
    const { took, output } = page;
    walks.take(page);
    if (output !== undefined) outputs.set(...output);
    shares.set(took.job, withPage(shares.get(took.job) ?? noStats, took));
  };
  const takePhase = ({ is, outputs: all, told = '[]' }: PhaseRecord) => {
    stage = { phase: is, told };
    for (const output of all) outputs.set(...output);
  };
  const takeSnapshot = (snapshot: SnapshotRecord) => {
    count = snapshot.count;
    walks.restore(snapshot.jobs);
    for (const output of snapshot.outputs) outputs.set(...output);
    for (const share of snapshot.shares) shares.set(...share);
  };

  return {
    begin,
    get phase() {
      return stage.phase;
    },
    get told() {
      return stage.told;
    },
    get count() {
      return count;
    },
    walkOf: walks.of,
    outputs,
    shares,
    rows: walks.rows,
    apply(record) {
      if (isCounted(record)) count += 1;
      if (record.is === 'page') takePage(record);
      else if (record.is === 'over') walks.end(record.job);
      else if (record.is === 'snapshot') takeSnapshot(record);
      else if (record.is === 'publishing' || record.is === 'done') takePhase(record);
    },
    snapshot: () => ({ is: 'snapshot', count, jobs: walks.kept(), outputs: [...outputs], shares: [...shares] }),
  };
}
