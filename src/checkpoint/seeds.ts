/**
 * Seeds: what the tasks of a run begin with that many processes share. A task is a position to resume from: a top-level
 * job without a page, or rows of one of its pages for one child job. Its name is its place, so that it is made once.
 */
import type { StoredRows } from '../page/row-buffer.js';
import {
  type BeginRecord,
  type PageDraft,
  type RowRange,
  type SnapshotRecord,
  type StateRecord,
  textOf,
  type WalkProgress,
} from './records.js';

/** A top-level job, by its number, and how many child jobs it has. */
export interface TopJob {
  readonly job: number;
  readonly children: number;
}

export interface Seed {
  /** The name of the task within its run. */
  readonly task: string;
  /** The top-level job, the only one that the task walks. */
  readonly job: number;
  /** The page of the job whose rows are walked; absent: the task walks the job from its first page. */
  readonly below?: RowsSeed;
}

/** The walk of a page whose children are walked. */
export interface RowsSeed extends Pick<WalkProgress, 'begun' | 'page'> {
  readonly rows: StoredRows;
  readonly range: RowRange;
}

/** How rows become tasks. */
export interface SeedPlan {
  readonly jobs: readonly TopJob[];
  /** The most rows of a task, from 1. */
  readonly block: number;
}

/** The tasks with which a run begins: one for each top-level job. */
export const seedsOfJobs = ({ jobs }: Pick<SeedPlan, 'jobs'>): readonly Seed[] =>
  jobs.map(({ job }) => ({ task: `J${job}`, job }));

/** The tasks that follow from a record. The same rows always lead to the same ones. */
export function seedsIn(record: StateRecord, plan: SeedPlan): readonly Seed[] {
  if (record.type === 'page') return hasSharedRows(record) ? seedsOfRows(record.job, record, plan) : [];
  if (record.type !== 'snapshot') return [];
  return record.jobs.flatMap(([job, walk]) =>
    walk !== 'done' && hasSharedRows({ ...walk, at: [] }) ? seedsOfRows(job, walk, plan) : [],
  );
}

/** Whether the rows of a page are those of tasks: its walk is that of a top-level job, and they are stored. */
export const hasSharedRows = ({
  at,
  rows,
  range,
  isWithheld,
}: Pick<PageDraft, 'at' | 'rows' | 'range' | 'isWithheld'>): boolean =>
  at.length === 0 && rows !== undefined && range === undefined && isWithheld !== true;

function seedsOfRows(job: number, { begun, page, rows }: WalkProgress, { jobs, block }: SeedPlan): readonly Seed[] {
  const children = jobs.find((each) => each.job === job)?.children ?? 0;
  if (rows === undefined) return [];
  const seeds: Seed[] = [];
  for (let child = 0; child < children; child += 1) {
    for (let first = 0; first < rows.count; first += block) {
      const range = { child, first, end: Math.min(first + block, rows.count) };
      seeds.push({ task: `J${job}-P${page}-C${child}-R${first}`, job, below: { begun, page, rows, range } });
    }
  }
  return seeds;
}

/** The journal with which a task begins. `begin`: of the run. */
export function journalOf({ task, job, below }: Seed, begin: BeginRecord): readonly string[] {
  const own: BeginRecord = { ...begin, epoch: 0, task: { name: task, job } };
  if (below === undefined) return [textOf(own)];
  const snapshot: SnapshotRecord = {
    type: 'snapshot',
    count: 0,
    jobs: [[job, { ...below, prints: '' }]],
    outputs: [],
    shares: [],
    lanes: [],
    marks: [],
    lanesOf: [],
    time: 0,
    weakened: [],
  };
  return [own, snapshot].map(textOf);
}
