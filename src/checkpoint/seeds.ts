/**
 * Seeds: what the tasks of a run begin with that many processes share. A task is a position to resume from: a top-level
 * job without a page, or rows of a page for one child job. Its name is its place, so that it is made once.
 */
import { elementAt } from '../core/util/element-at.js';
import { walkAfter, walksDownTo } from './lane-marks.js';
import {
  type BeginRecord,
  type PageDraft,
  type RowPlace,
  type RowRange,
  type SnapshotRecord,
  type StateRecord,
  type StoredWalk,
  textOf,
} from './records.js';

/** A top-level job, by its number. */
export interface TopJob {
  readonly job: number;
}

export interface Seed {
  /** The name of the task within its run. */
  readonly task: string;
  /** The top-level job, the only one that the task walks. */
  readonly job: number;
  /** The walk of the job, down to the rows that are walked; absent: the task walks the job from its first page. */
  readonly walk?: StoredWalk;
}

/** How rows of pages become tasks. */
export interface TaskSize {
  /** How many rows a task gets, from 1. `children`: the numbers of the child jobs on the way from the top-level job. */
  rowsOf(job: number, children: readonly number[]): number;
}

/** A page with rows below it. */
export interface PageWithRows extends Pick<PageDraft, 'job' | 'at'> {
  /** How many rows it has. */
  readonly count: number;
  /** How many child jobs. */
  readonly children: number;
}

/**
 * How many rows of the page a task gets, for each child job. Undefined: the page is below a row, and its rows are too
 * few for tasks of their own: where they are walked, other tasks are beside them.
 */
export function blocksOf(
  { job, at, count, children }: PageWithRows,
  { rowsOf }: TaskSize,
): readonly number[] | undefined {
  const above = at.map(([, child]) => child);
  const blocks = Array.from({ length: children }, (_, child) => rowsOf(job, [...above, child]));
  return at.length === 0 || blocks.some((rows) => 2 * count > rows) ? blocks : undefined;
}

/** The tasks with which a run begins: one for each top-level job. */
export const seedsOfJobs = ({ jobs }: { readonly jobs: readonly TopJob[] }): readonly Seed[] =>
  jobs.map(({ job }) => ({ task: `J${job}`, job }));

/** The tasks that follow from records, which are passed on as they are written to one journal. */
export interface Seeding {
  /** Those of a journal that replaces all records. What was in it before has made its tasks: the last page counts. */
  replace(records: readonly StateRecord[]): readonly Seed[];
  append(records: readonly StateRecord[]): readonly Seed[];
}

/** The same records always lead to the same tasks. */
export function createSeeding(): Seeding {
  const walks = new Map<number, StoredWalk>();
  const take = (record: StateRecord): readonly Seed[] => {
    if (record.type === 'snapshot') for (const [job, walk] of record.jobs) if (walk !== 'done') walks.set(job, walk);
    if (record.type !== 'page') return [];
    const walk = walkAfter(walks.get(record.job), record);
    walks.set(record.job, walk);
    return seedsOfRows(record.job, walk);
  };
  return {
    append: (records) => records.flatMap(take),
    replace(records) {
      for (const record of records) take(record);
      return [...walks].flatMap(([job, walk]) => seedsOfRows(job, walk));
    },
  };
}

/** Of the walks from that of the top-level job down, the last one is where the rows are. */
function seedsOfRows(job: number, walk: StoredWalk): readonly Seed[] {
  const walks = walksDownTo(walk);
  const { page, rows, blocks } = elementAt(walks, walks.length - 1);
  if (rows === undefined || blocks === undefined) return [];
  const above = walks.flatMap(({ child }) => (child === undefined ? [] : [child.at]));
  const name = [`J${job}`, ...above.map(nameOf), `P${page}`].join('-');
  return blocks.flatMap((block, child) =>
    Array.from({ length: Math.ceil(rows.count / block) }, (_, index) => {
      const range = { child, first: index * block, end: Math.min((index + 1) * block, rows.count) };
      return { task: `${name}-C${child}-R${range.first}`, job, walk: withRange(walk, range) };
    }),
  );
}

const nameOf = ([page, child, row, instance]: RowPlace): string => `P${page}-C${child}-R${row}.${instance}`;

/** The walk of a task: what is above its rows, and nothing beside them. */
function withRange({ begun, page, rows, child }: StoredWalk, range: RowRange): StoredWalk {
  const own = { begun, page, ...(rows === undefined ? {} : { rows }), prints: '' };
  if (child === undefined) return { ...own, range };
  return { ...own, range: 'child', child: { at: child.at, walk: withRange(child.walk, range) } };
}

/** The parts with the rows that a task needs: those of its own, and those above them. */
export const partsOfSeed = ({ walk }: Seed): readonly string[] =>
  walk === undefined ? [] : walksDownTo(walk).flatMap(({ rows }) => rows?.part ?? []);

/** The journal with which a task begins. `begin`: of the run. */
export function journalOf({ task, job, walk }: Seed, begin: BeginRecord): readonly string[] {
  const own: BeginRecord = { ...begin, epoch: 0, task: { name: task, job } };
  if (walk === undefined) return [textOf(own)];
  const snapshot: SnapshotRecord = {
    type: 'snapshot',
    count: 0,
    jobs: [[job, walk]],
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
