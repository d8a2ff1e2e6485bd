/** Records the totals of each job and why it ended: the source of the summary. */
import type { Guarantee, SinkOutput } from '../../sinks/contract.js';
import type { RefusedItems } from '../../sinks/decorators/refusals.js';
import type { Drift } from '../../sinks/shape/judge.js';
import {
  type JobStats,
  type JobSummary,
  noStats,
  type RequestCost,
  withCounts,
  withRequests,
} from '../core/model/job-stats.js';
import type { Notice } from '../core/model/notice.js';
import type { FailedRequest, Receipt } from '../core/model/page.js';
import { defined } from '../core/util/defined.js';
import { isForced } from '../pagination/force-stop.js';

export interface Summary {
  /** False: nothing has run, because the stored run was complete, or the run has not begun. */
  readonly ran: boolean;
  readonly jobs: readonly JobSummary[];
  readonly outputs: readonly SinkOutput[];
  /** If a state is kept: how often an item arrives, however often the run is interrupted and resumed. */
  readonly guarantee?: Guarantee;
  /** The same for each sink, if there are several. */
  readonly sinks?: readonly SinkPromise[];
  /** The items that sinks have refused in this process, if `onItemError` leaves them out and there are some. */
  readonly refused?: readonly RefusedItems[];
  /** Processes before a resume may have left out more items, which `refused` does not count. */
  readonly refusedSinceResume?: true;
  /** The items that differ from the shape of the run, in this process; absent: none, or there is no shape. */
  readonly drift?: Drift;
  /** If a state is kept: how items differ from those of earlier runs, by a sample. Absent: no difference was found. */
  readonly shapeChanges?: readonly ShapeChange[];
}

/** How the items of a data type differ from those of earlier runs, in words. */
export interface ShapeChange {
  readonly dataType: string;
  readonly changes: readonly string[];
}

/** The guarantee of one sink, by name. */
export interface SinkPromise {
  readonly name: string;
  readonly guarantee: Guarantee;
}

/**
 * What the pages of a job say about its items. `list`: one had a place for them. `nothing`: none had, or those of its
 * parent had none. `no rows`: its parent had no item for it. `not asked`: a limit has prevented all requests.
 */
export type ItemsAnswer = 'list' | 'nothing' | 'no rows' | 'not asked';

export interface StatsRecorder {
  /** Sets the totals of an earlier run, by job name. Called before any walk begins. */
  resume(shares: ReadonlyMap<string, JobStats>, skips?: ReadonlyMap<string, readonly FailedRequest[]>): void;
  /** A run begins. */
  begin(): void;
  /** Whether a run has begun. */
  hasRun(): boolean;
  /** A walk of the job begins. */
  start(job: string): void;
  /** Adds requests of the job, also those for a page that never arrived. */
  spend(job: string, spent: RequestCost): void;
  /** Adds a page that has reached the sink. */
  add(receipt: Receipt): void;
  /** A walk of the job has ended, with all its child walks. */
  end(job: string): void;
  /** A limit of the run was reached: no further walk of the job begins. */
  bound(job: string, reason: string): void;
  /** The filter of the job left a row out, which has nothing at these paths of the filter. */
  leaveOut(job: string, absent: MissingPaths): void;
  /** A page of the job has no place for items; `notice` says which. */
  missPlace(job: string, notice: Notice): void;
  /** The first such notice of a job none of whose pages had a place for items; undefined: one had, or none said. */
  missingPlace(job: string): Notice | undefined;
  /** Ends each running job, or each running one of those named, for this reason. */
  halt(reason: string, jobs?: readonly string[]): void;
  answerTo(job: string): ItemsAnswer;
  /** Whether a request of the job failed without an error of the run, also in an earlier process. */
  hasFailed(job: string): boolean;
  /** Whether a limit of the run, or `forceStop`, has ended or prevented a walk of the job, also in an earlier run. */
  isBounded(job: string): boolean;
  jobs(): readonly JobSummary[];
}

/** A job, and the names of its children. */
export interface Counted {
  readonly name: string;
  readonly dataType: string;
  readonly children: readonly { readonly name: string }[];
  /** It has several walks although it has no parent. */
  readonly each?: readonly unknown[];
  readonly windows?: unknown;
}

/** `stop` of a job before its first walk, and during its walks. */
export const notStarted = 'not started';
export const running = 'running';
/** Paths of a filter, each with the path that was probably meant. */
export type MissingPaths = ReadonlyMap<string, string | undefined>;

/** Changed in place: it changes with each page. */
interface JobRow {
  readonly isDivided: boolean;
  readonly of: Pick<JobSummary, 'job' | 'parent' | 'dataType'>;
  share: JobStats;
  /** Its requests that failed and were left out: the first ones. */
  skips: readonly FailedRequest[];
  hasBegun: boolean;
  /** Active walks. */
  open: number;
  /** The limit after which no walk of it begins. */
  bound: string | undefined;
  /** Why it ended early. */
  halted: string | undefined;
  /** Paths that no row left out by its filter had. */
  absent: MissingPaths | undefined;
  /** That a page had no place for items. */
  missed: Notice | undefined;
}

/** Paths that no row had: a path that one row has is no misspelling. */
const inBoth = (all: MissingPaths | undefined, more: MissingPaths): MissingPaths =>
  all === undefined
    ? more
    : new Map([...all].filter(([path]) => more.has(path)).map(([path, near]) => [path, near ?? more.get(path)]));

/** Starts with every job 'not started'. A child ends with its parent, which may have further rows until then. */
export function createStatsRecorder(jobs: readonly Counted[]): StatsRecorder {
  const rows = new Map(jobs.map((job) => [job.name, beginning(job, parentOf(job, jobs))]));
  const change = (job: string, edit: (row: JobRow) => Partial<JobRow>) => {
    const row = rows.get(job);
    if (row !== undefined) Object.assign(row, edit(row));
  };
  const parent = ({ of }: JobRow) => (of.parent === undefined ? undefined : rows.get(of.parent));
  const stopOf = (row: JobRow) => stopUnder(row, parent);
  const activity = createActivity();

  return {
    ...activity,
    resume(shares, skips = new Map()) {
      for (const [job, share] of shares) change(job, () => ({ share, hasBegun: true }));
      for (const [job, own] of skips) change(job, () => ({ skips: own.slice(0, mostSkips) }));
    },
    start(job) {
      activity.begin();
      change(job, ({ open }) => ({ hasBegun: true, open: open + 1, halted: undefined }));
    },
    spend: (job, spent) => change(job, ({ share }) => ({ share: withRequests(share, spent) })),
    add(receipt) {
      change(receipt.job, ({ share }) => ({ share: withCounts(share, receipt) }));
      const { job, skipped } = receipt;
      if (skipped === undefined) return;
      change(job, ({ skips }) => (skips.length < mostSkips ? { skips: [...skips, skipped] } : {}));
    },
    end: (job) => change(job, ({ open }) => ({ open: Math.max(0, open - 1) })),
    bound: (job, bound) => change(job, () => ({ hasBegun: true, bound })),
    leaveOut: (job, absent) => change(job, (row) => ({ absent: inBoth(row.absent, absent) })),
    missPlace: (job, notice) => change(job, ({ missed = notice }) => ({ missed })),
    missingPlace: (job) => (answerOf(rows.get(job), parent) === 'nothing' ? rows.get(job)?.missed : undefined),
    halt(reason, names = [...rows.keys()]) {
      const halted = [...rows].filter(([name, row]) => names.includes(name) && stopOf(row) === running);
      for (const [name] of halted) change(name, () => ({ open: 0, halted: reason }));
    },
    answerTo: (job) => answerOf(rows.get(job), parent),
    hasFailed: (job) => failuresOf(rows.get(job)) > 0,
    isBounded: (job) => isCut(rows.get(job)),
    jobs: () =>
      [...rows.values()].map((row) => ({
        ...row.of,
        ...sumsOf(row),
        stop: stopOf(row),
        ...(boundOf(row) === undefined ? {} : { bounded: true }),
      })),
  };
}

type ParentOf = (row: JobRow) => JobRow | undefined;

function isOver(row: JobRow, parent: ParentOf): boolean {
  const above = parent(row);
  if (row.halted !== undefined || row.open > 0) return false;
  return above === undefined ? row.hasBegun : isOver(above, parent);
}

function stopUnder(row: JobRow, parent: ParentOf): string {
  if (row.halted !== undefined) return row.halted;
  if (isOver(row, parent)) return boundOf(row) ?? (row.hasBegun ? reasonOf(row) : reasonOfNone(row, parent(row)));
  return row.hasBegun ? running : notStarted;
}

/** The jobs that have ended by themselves, and those above them too: none of their pages is missing. */
export function wholeJobs(totals: Pick<StatsRecorder, 'jobs' | 'isBounded' | 'hasFailed'>): ReadonlySet<string> {
  const all = totals.jobs();
  const isWhole = ({ job, parent }: JobSummary): boolean => {
    const above = all.find((each) => each.job === parent);
    return !totals.isBounded(job) && !totals.hasFailed(job) && (above === undefined || isWhole(above));
  };
  return new Set(all.filter(isWhole).map(({ job }) => job));
}

function createActivity(): Pick<StatsRecorder, 'begin' | 'hasRun'> {
  let hasRun = false;
  return {
    begin() {
      hasRun = true;
    },
    hasRun: () => hasRun,
  };
}

function answerOf(row: JobRow | undefined, parent: ParentOf): ItemsAnswer {
  if (row === undefined) return 'not asked';
  const { pages, unfound = 0 } = row.share;
  if (pages > 0) return unfound < pages ? 'list' : 'nothing';
  const above = row.bound === undefined ? answerOf(parent(row), parent) : 'not asked';
  return above === 'list' ? 'no rows' : above;
}

const parentOf = ({ name }: Counted, jobs: readonly Counted[]): string | undefined =>
  jobs.find(({ children }) => children.some((child) => child.name === name))?.name;

const beginning = ({ name, dataType, each, windows }: Counted, parent: string | undefined): JobRow => ({
  isDivided: each !== undefined || windows !== undefined,
  of: { job: name, ...(parent === undefined ? {} : { parent }), dataType },
  share: noStats,
  skips: [],
  hasBegun: false,
  open: 0,
  bound: undefined,
  halted: undefined,
  absent: undefined,
  missed: undefined,
});

const isCut = (row: JobRow | undefined): boolean =>
  row !== undefined && (boundOf(row) !== undefined || isForced(row.share.reason));

const boundOf = ({ bound, share }: JobRow): string | undefined => bound ?? share.bound;

const failuresOf = (row: JobRow | undefined): number => (row?.share.failed ?? 0) + (row?.share.skipped ?? 0);

/** So many requests that were left out are listed. */
const mostSkips = 1000;

const sumsOf = ({ share, skips }: JobRow) => {
  const { requests, pages, items, bytes, retries, cached, unchanged, skipped, letters } = share;
  const left = { skipped, letters, skips: skips.length === 0 ? undefined : skips };
  return { requests, pages, items, bytes, retries, ...defined({ cached, unchanged, ...left }) };
};

/** A child may be walked many times, and a job that is divided too. */
function reasonOf({ of, isDivided, share: { reasons, reason, isOneReason } }: JobRow): string {
  if ((of.parent === undefined && !isDivided) || reasons < 2) return reason;
  return `${reason} (${isOneReason ? 'each' : 'last'} of ${reasons} walks)`;
}

/**
 * Why a child was never walked: its parent had no items, or a filter, empty lists or missing placeholders excluded them
 * all.
 */
function reasonOfNone({ absent = new Map() }: JobRow, parent: JobRow | undefined): string {
  if (parent === undefined || parent.share.items === 0) return 'its parent had no items';
  const paths = [...absent].map(([path, near]) => `"${path}"${near === undefined ? '' : ` (did you mean "${near}"?)`}`);
  const none = paths.length === 0 ? '' : `: none has ${paths.join(', ')}`;
  return `no item of its parent matched${none}`;
}
