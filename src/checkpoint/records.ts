/**
 * The records of a journal: plain JSON, with exact values as JSON texts. Numbers identify jobs and outputs, as a name
 * may contain anything.
 */

import type { Recovery } from '../../sinks/contract.js';
import type { JobStats } from '../core/model/job-stats.js';
import type { FailedRequest, PageProof } from '../core/model/page.js';
import type { Reached } from '../incremental/reached.js';
import type { RunMemory } from '../incremental/run-memory.js';
import type { StoredRows } from '../page/row-buffer.js';
import type { WalkEvidence } from '../pagination/truncation/walk-evidence.js';

/** A step from a walk to a child walk: page, child job, row and instance, all from 0. */
export type RowPlace = readonly [page: number, child: number, row: number, instance: number];

/** The first record: what the run started with. */
export interface BeginRecord {
  readonly type: 'begin';
  /** The format of the records. */
  readonly format: number;
  /** The version of rxtract. */
  readonly version: string;
  /** The name of the run. */
  readonly run: string;
  /** 1, and one more with each resume. A process with a lower epoch must not write any more. */
  readonly epoch: number;
  /** The recovery of each sink, in order. */
  readonly sinks: readonly Recovery[];
  /** The unfinished runs that this one replaces, until all sinks were resumed. */
  readonly replaces?: readonly string[];
  /** When the run first started, in epoch ms. A resume keeps it, and so its time window. */
  readonly startedAt: number;
  /** A digest of each value of the configuration, by path. */
  readonly marks: Readonly<Record<string, string>>;
  /** Values that a message about another configuration may show, by path: no secrets. Absent in older states. */
  readonly values?: Readonly<Record<string, string>>;
  /** What was remembered when the run started. Absent: nothing. */
  readonly remembered?: RunMemory;
  /** The walks of an earlier run that this one takes again, and no others. Absent: it takes all. */
  readonly again?: readonly StoredWalkAgain[];
  /** The part of the run that this journal has: other tasks have the rest. Absent: it has all. */
  readonly task?: TaskOfRun;
}

/** A task of a run that many processes share: a member of the run to its sinks. */
export interface TaskOfRun {
  readonly name: string;
  /** The only top-level job that it walks. Absent: it walks none, and publishes what the other tasks have written. */
  readonly job?: number;
}

/** Whether the journal is that of a part of a shared run: nothing is published at its end. */
export const isMember = ({ task }: Pick<BeginRecord, 'task'>): boolean => task?.job !== undefined;

/** Whether it is that of the task which publishes a shared run: all other tasks are done. */
export const isPublisher = ({ task }: Pick<BeginRecord, 'task'>): boolean =>
  task !== undefined && task.job === undefined;

/** What a later run needs to take a walk again from the request that failed. */
export interface StoredWalkAgain {
  /** Its job, the values of its placeholders and the rows above it: sealed, as JSON text. */
  readonly walk: string;
  /** When its expressions were evaluated, in epoch ms. */
  readonly begun: number;
  readonly next: StoredTask;
}

/** A request that failed and was left out. `again` is absent if the request contains a secret that is never stored. */
export interface StoredFailure extends FailedRequest {
  readonly again?: StoredWalkAgain;
}

/** A failure, with its top-level job and its own. */
export type LaneFailure = readonly [lane: number, job: number, failure: StoredFailure];

/** A page whose request can be conditional: the key of the request, and sealed facts of the page as JSON text. */
export type StoredFacts = readonly [key: string, facts: string];

/** The same, with its top-level job and its own. */
export type LanePage = readonly [lane: number, job: number, key: string, facts: string];

/** The next page of a walk. */
export interface StoredTask {
  readonly index: number;
  /** A sealed request, as JSON text. */
  readonly request: string;
  /** The chain of the page before, in hexadecimal digits. */
  readonly chain: readonly string[];
  readonly startedAt: number;
  readonly items: number;
  readonly volume: number;
  /** A sealed value, as JSON text. */
  readonly memo?: string;
  /** Evidence of whether the walk reaches its true end: counts and positions, no values. */
  readonly seen?: WalkEvidence;
}

/** The position of one walk; without `next` it has no further page. */
export interface WalkProgress {
  /** When its expressions were evaluated, in epoch ms. */
  readonly begun: number;
  /** The index of its last page. */
  readonly page: number;
  readonly next?: StoredTask;
  /** The rows of its last page, while its children are walked. */
  readonly rows?: StoredRows;
  /**
   * The children of these rows are tasks of other processes: how many rows a task has, for each child job. Absent: they
   * are walked here.
   */
  readonly blocks?: readonly number[];
  /**
   * What is walked below the page, as other tasks of the run have the rest: these rows, or only the child walk of the
   * position. Absent: all.
   */
  readonly range?: RowRange | 'child';
  /** The report that it has created; its pages are those of walks below it. */
  readonly report?: StoredReport;
}

/**
 * Rows of a page for one of its child jobs, or, with the number after that of the last child job, parts of a walk that
 * is divided: from `first` to before `end`, from 0.
 */
export interface RowRange {
  readonly child: number;
  readonly first: number;
  readonly end: number;
}

/** A report that an API makes. */
export interface StoredReport {
  /** What its other requests need of the response that created it: sealed, as JSON text. */
  readonly values: string;
  /** All its items are written. */
  readonly isFetched?: true;
}

/** What the walks of a job have reached in this run, for one parent. */
export interface StoredReached extends Reached {
  /** The parent of a child job; that of a top-level job is empty. */
  readonly by: string;
  /** The last walk has no further page. */
  readonly isOver?: true;
  /** A limit has ended a walk: items may be missing. */
  readonly isCut?: true;
}

/** The checkpoint of one output of a sink, as JSON text. `sink` and `output` are numbers. */
export type OutputPosition = readonly [sink: number, output: number, checkpoint: string];

/** A page is complete and committed. */
export interface PageRecord extends WalkProgress {
  readonly type: 'page';
  /** The top-level job. */
  readonly job: number;
  /** The path from there to the walk of the page. */
  readonly at: readonly RowPlace[];
  /** When the page was read, in epoch ms. */
  readonly time: number;
  /** The fingerprint of the page, in hexadecimal digits. */
  readonly print: string;
  readonly took: PageStats;
  /** What the page has reached of the value that its job remembers. */
  readonly reached?: StoredReached;
  /** How the next run can ask whether the page has changed. */
  readonly validated?: StoredFacts;
  /** The request of the page failed and was left out: how to take it again. */
  readonly again?: StoredWalkAgain;
  /** The next request or the rows contain a secret. Such a record is never written; a later snapshot covers it. */
  readonly isWithheld?: true;
  /** Checkpoints of the outputs that the page changed; absent: the page has no items. */
  readonly outputs?: readonly OutputPosition[];
}

/** A page record without the checkpoints of its sinks. */
export type PageDraft = Omit<PageRecord, 'outputs'>;

/** A sink has the first `m` pages with items of a top-level job. */
export interface LaneMark {
  readonly m: number;
  /** The fingerprint of the last of them, in hexadecimal digits. */
  readonly print: string;
  /** The request after it, sealed; null: there is none; absent: unknown, or child walks come first. */
  readonly next?: string | null;
  /** Nothing follows it: it is the last page of the top-level job. */
  readonly isEnd?: true;
  /** Where the last of them is: the places of the walks above it, and its page. Absent: unknown. */
  readonly place?: string;
}

/** What the page adds to the totals of its job. */
export interface PageStats {
  readonly job: number;
  readonly requests: number;
  readonly retries: number;
  readonly count: number;
  readonly bytes: number;
  readonly delivered: boolean;
  readonly unfound?: true;
  readonly failed?: true;
  readonly skipped?: FailedRequest;
  readonly cached?: true;
  readonly unchanged?: true;
  readonly stop?: string;
  readonly bounded?: true;
  readonly proof?: PageProof;
}

/** The walk of a top-level job is complete. */
export interface JobDoneRecord {
  readonly type: 'job-done';
  readonly job: number;
}

/** The first `count` records of pages and completed jobs survive a power cut, and their output too. */
export interface SyncRecord {
  readonly type: 'sync';
  readonly count: number;
}

/**
 * `publishing`: all items are written. `done`: they are published. `rejected`: all items are written, and the result
 * was not accepted: a resume that may start a new run does so.
 */
export interface PhaseRecord {
  readonly type: 'publishing' | 'done' | 'rejected';
  /** The outputs of a complete run, as JSON text. */
  readonly outputs?: string;
  /** `publishing`: the data types whose earlier output stays. */
  readonly keep?: readonly string[];
  /** `publishing`: what is remembered when it is done. */
  readonly remembered?: RunMemory;
}

/** What is remembered, of a state without a run: a person has changed it. */
export interface MemoryRecord {
  readonly type: 'memory';
  readonly remembered: RunMemory;
}

/** A sink may get items twice from here on, although it promises more. `sink`: its number. */
export interface WeakenedRecord {
  readonly type: 'weakened';
  readonly sink: number;
}

/** The position of a walk, and of the child walk that it waits for. */
export interface StoredWalk extends WalkProgress {
  /** Fingerprints of all its pages, 12 bytes each, as base64. */
  readonly prints: string;
  readonly child?: { readonly at: RowPlace; readonly walk: StoredWalk };
}

/** Sums up all records before it. */
export interface SnapshotRecord {
  readonly type: 'snapshot';
  readonly count: number;
  readonly jobs: readonly (readonly [job: number, walk: StoredWalk | 'done'])[];
  readonly outputs: readonly OutputPosition[];
  readonly shares: readonly (readonly [job: number, share: JobStats])[];
  /** How many pages with items each top-level job has, and the last of them. */
  readonly lanes: readonly (readonly [job: number, last: LaneMark])[];
  /** Marks of sinks that have more. */
  readonly marks: readonly (readonly [sink: number, job: number, mark: LaneMark])[];
  /** Jobs with pages, by their top-level job. */
  readonly lanesOf: readonly (readonly [job: number, jobs: readonly number[]])[];
  /** When the last page was read, in epoch ms; 0: no page yet. */
  readonly time: number;
  /** Numbers of sinks that may have got items twice although they promise more. */
  readonly weakened: readonly number[];
  /** What jobs have reached, by top-level job. */
  readonly reached?: readonly LaneReached[];
  readonly failures?: readonly LaneFailure[];
  readonly pages?: readonly LanePage[];
  /** The checkpoints of the members of a shared run, for the task that publishes it. */
  readonly members?: readonly MemberOutputs[];
  readonly proofs?: readonly LaneProof[];
}

/** The checkpoints of a task, by its name. */
export type MemberOutputs = readonly [member: string, outputs: readonly OutputPosition[]];

/** The proof of a page, with its top-level job, its own, and its place and size. */
export type LaneProof = readonly [
  lane: number,
  job: number,
  index: number,
  items: number,
  bytes: number,
  proof: PageProof,
];

/** What a job has reached, with its top-level job. */
export type LaneReached = readonly [lane: number, job: number, reached: StoredReached];

export type StateRecord =
  | BeginRecord
  | PageRecord
  | JobDoneRecord
  | SyncRecord
  | PhaseRecord
  | WeakenedRecord
  | MemoryRecord
  | SnapshotRecord;

export const format = 5;

export const textOf = (record: StateRecord): string => JSON.stringify(record);

/**
 * Reads what `textOf` wrote. The caller checks the checksum before, and the format after: up to format 2 the type is
 * called `is`.
 */
export function recordIn(text: string): StateRecord {
  const record = JSON.parse(text) as StateRecord & { readonly is?: StateRecord['type'] };
  return record.is === undefined ? record : ({ ...record, type: record.is } as StateRecord);
}
