/**
 * Seeds: what the tasks of a run begin with that many processes share. A task is a position to resume from: a top-level
 * job without a page, parts of one that is divided, or rows of a page for one child job. Its name is its place, so that
 * it is made once.
 */
import { defined } from '../core/util/defined.js';
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
  /** The walks of a job that is divided, by `windows` or `each`. Absent: it has one. */
  readonly parts?: {
    /** The number that stands for parts where that of a child job would be. */
    readonly child: number;
    readonly count: number;
  };
}

export interface Seed {
  /** The name of the task within its run. */
  readonly task: string;
  /** That of the first one of its page and child job: where it exists, all of them do. Absent: its own. */
  readonly first?: string;
  /** The top-level job, the only one that the task walks. */
  readonly job: number;
  /**
   * The walk of the job, down to the rows or with the parts that are walked; absent: the task walks the job from its
   * first page.
   */
  readonly walk?: StoredWalk;
}

/** How rows of pages become tasks. */
export interface TaskSize {
  /**
   * A page below a row with fewer rows is walked where it is: other tasks are beside it. The same number for all pages
   * of a run: a page that is read again must have tasks again, or none.
   */
  readonly least: number;
  /**
   * How many rows a task gets, from 1. `children`: the numbers of the child jobs on the way from the top-level job.
   * `pageMs`: how long their page has taken.
   */
  rowsOf(job: number, children: readonly number[], pageMs: number): number;
}

/** A page with rows below it. */
export interface PageWithRows extends Pick<PageDraft, 'job' | 'at'> {
  /** How many rows it has. */
  readonly count: number;
  /** How many child jobs. */
  readonly children: number;
  /** How long it has taken, in ms. */
  readonly pageMs: number;
}

/** How many rows of the page a task gets, for each child job. Undefined: they are walked where they are. */
export function blocksOf(
  { job, at, count, children, pageMs }: PageWithRows,
  { least, rowsOf }: TaskSize,
): readonly number[] | undefined {
  const above = at.map(([, child]) => child);
  if (at.length > 0 && count < least) return undefined;
  return Array.from({ length: children }, (_, child) => rowsOf(job, [...above, child], pageMs));
}

/** A job with more parts has more of them in a task: how long a part takes is not known before its first page. */
const mostTasksOfParts = 1000;

/** The tasks with which a run begins: one for each top-level job, or for each of its parts. */
export const seedsOfJobs = ({ jobs, begin }: RunOfTasks): readonly Seed[] =>
  jobs.flatMap(({ job, parts: { child, count } = { child: 0, count: 0 } }) => {
    if (count === 0) return [{ task: `J${job}`, job }];
    // All tasks evaluate the job at one time, so that each knows a part by its number.
    const top = { begun: begin.startedAt, page: 0, prints: '' };
    return inBlocks(count, Math.ceil(count / mostTasksOfParts)).map(({ first, end }) => ({
      task: `J${job}-P0-C${child}-R${first}`,
      job,
      walk: { ...top, range: { child, first, end } },
    }));
  });

/** What a run begins with. */
export interface RunOfTasks {
  readonly jobs: readonly TopJob[];
  readonly begin: BeginRecord;
}

/** From 0 to before `count`. */
const inBlocks = (count: number, block: number): readonly Pick<RowRange, 'first' | 'end'>[] =>
  Array.from({ length: Math.ceil(count / block) }, (_, index) => ({
    first: index * block,
    end: Math.min((index + 1) * block, count),
  }));

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
    inBlocks(rows.count, block).map((range) => ({
      task: `${name}-C${child}-R${range.first}`,
      first: `${name}-C${child}-R0`,
      job,
      walk: withRange(walk, { child, ...range }),
    })),
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

/** The rows of a task that no process has begun; undefined: another one has, or the task has no rows. */
export function rowsOfTask(records: readonly StateRecord[]): RowsOfTask | undefined {
  const [begin, snapshot, ...more] = records;
  const isSeed = begin?.type === 'begin' && snapshot?.type === 'snapshot' && more.length === 0;
  if (!isSeed || snapshot.jobs.length === 0) return undefined;
  const [job, walk] = elementAt(snapshot.jobs, 0);
  if (walk === 'done' || snapshot.count > 0) return undefined;
  const walks = walksDownTo(walk);
  const { rows, range } = elementAt(walks, walks.length - 1);
  if (rows === undefined || range === undefined || range === 'child') return undefined;
  const above = walks.flatMap(({ child }) => (child === undefined ? [] : [child.at[1]]));
  return { job, children: [...above, range.child], count: range.end - range.first };
}

export interface RowsOfTask {
  readonly job: number;
  /** The numbers of the child jobs on the way from the top-level job. */
  readonly children: readonly number[];
  readonly count: number;
}

/** The journal with which a task begins. `begin`: of the run. */
export function journalOf({ task, job, walk }: Seed, begin: BeginRecord): readonly string[] {
  const own = textOf(withoutShared({ ...begin, epoch: 0, task: { name: task, job } }));
  if (walk === undefined) return [own];
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
  return [own, textOf(snapshot)];
}

/**
 * The first record of a task as a board stores it: without what is as long as the configuration, and the same for all
 * tasks of a run.
 */
export const withoutShared = ({ marks: _, values: __, remembered: ___, ...own }: BeginRecord): BeginRecord => ({
  ...own,
  marks: {},
});

/** The same with what the run has. */
export const withShared = (own: BeginRecord, { marks, values, remembered }: BeginRecord): BeginRecord => ({
  ...own,
  marks,
  ...defined({ values, remembered }),
});
