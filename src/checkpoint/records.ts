/**
 * What a journal is made of: plain JSON, exact values within it as texts of their own. Jobs and outputs are told by
 * their numbers: names may hold anything.
 */

import type { Recovery } from '../../sinks/contract.js';
import type { JobStats } from '../core/model/job-stats.js';
import type { StoredRows } from '../page/row-buffer.js';
import type { WalkEvidence } from '../pagination/truncation/walk-evidence.js';

/** Of which page which child job, for which row, in which of its instances; all from 0. */
export type RowPlace = readonly [page: number, child: number, row: number, instance: number];

/** The first record: what the run was started with. */
export interface BeginRecord {
  readonly type: 'begin';
  /** Of these records. */
  readonly format: number;
  /** Of rxtract. */
  readonly version: string;
  /** The name of the run. */
  readonly run: string;
  /** 1, and one more with each resume: a process with a lower one must not write any more. */
  readonly epoch: number;
  /** What its sinks can do, in their order. */
  readonly sinks: readonly Recovery[];
  /** An unfinished run whose place this one has taken. */
  readonly replaces?: string;
  /** When the run was started first, in epoch ms: its window stays that of this moment. */
  readonly startedAt: number;
  /** A digest for each value of the configuration, by its path. */
  readonly marks: Readonly<Record<string, string>>;
}

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
  /** What tells whether the walk comes to its true end: counts and places, no values. */
  readonly seen?: WalkEvidence;
}

/** Where one walk stands; without `next` it has no page to come. */
export interface Standing {
  /** When its expressions were evaluated, in epoch ms. */
  readonly begun: number;
  /** The index of its last page. */
  readonly page: number;
  readonly next?: StoredTask;
  /** Those of its last page, while they are gone through. */
  readonly rows?: StoredRows;
}

/** Where one output of a sink stands, as it said, as JSON text. Both are numbers. */
export type OutputPosition = readonly [sink: number, output: number, checkpoint: string];

/** A page has landed. */
export interface PageRecord extends Standing {
  readonly type: 'page';
  /** The top-level job. */
  readonly job: number;
  /** From there to the walk whose page it was. */
  readonly at: readonly RowPlace[];
  /** When it was read, in epoch ms. */
  readonly time: number;
  /** Of the page, in hexadecimal digits. */
  readonly print: string;
  readonly took: PageStats;
  /** Its next request cannot be written down. Such a record is never written, only what comes behind it. */
  readonly isWithheld?: true;
  /** Where the outputs stand that it changed; absent: the page had no items, or no sink says. */
  readonly outputs?: readonly OutputPosition[];
}

/** A page record without what its sinks say. */
export type PageDraft = Omit<PageRecord, 'outputs'>;

/** A sink has the first `m` pages with items of a top-level job. */
export interface LaneMark {
  readonly m: number;
  /** The fingerprint of the last of them, in hexadecimal digits. */
  readonly print: string;
  /** The request after it, sealed; null: none follows; absent: unknown. */
  readonly next?: string | null;
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
  readonly cached?: true;
  readonly stop?: string;
  readonly bounded?: true;
}

/** A top-level job has been walked to its end. */
export interface JobDoneRecord {
  readonly type: 'job-done';
  readonly job: number;
}

/** The first `count` records of pages and ends, and their output, outlive the machine. */
export interface SyncRecord {
  readonly type: 'sync';
  readonly count: number;
}

/** All has been written, and is being published; then that has been done. */
export interface PhaseRecord {
  readonly type: 'publishing' | 'done';
  /** The outputs of a run that is done, as JSON text. */
  readonly outputs?: string;
}

/** Where a walk stands, and below it the one that it waits for. */
export interface StoredWalk extends Standing {
  /** Fingerprints of all its pages, 12 bytes each, as base64. */
  readonly prints: string;
  readonly child?: { readonly at: RowPlace; readonly walk: StoredWalk };
}

/** All records before, in short. */
export interface SnapshotRecord {
  readonly type: 'snapshot';
  readonly count: number;
  readonly jobs: readonly (readonly [job: number, walk: StoredWalk | 'done'])[];
  readonly outputs: readonly OutputPosition[];
  readonly shares: readonly (readonly [job: number, share: JobStats])[];
  /** How many pages with items top-level jobs have, and the last of them. */
  readonly lanes: readonly (readonly [job: number, last: LaneMark])[];
  /** What sinks have beyond that. */
  readonly marks: readonly (readonly [sink: number, job: number, mark: LaneMark])[];
  /** Jobs that have got pages, by their top-level job. */
  readonly lanesOf: readonly (readonly [job: number, jobs: readonly number[]])[];
  /** When the last page was read, in epoch ms; 0: there is none. */
  readonly time: number;
}

export type StateRecord = BeginRecord | PageRecord | JobDoneRecord | SyncRecord | PhaseRecord | SnapshotRecord;

export const format = 3;

export const textOf = (record: StateRecord): string => JSON.stringify(record);

/**
 * Reads what `textOf` has written. The caller checks the checksum before, and the format after: up to format 2 the type
 * was called `is`.
 */
export function recordIn(text: string): StateRecord {
  const record = JSON.parse(text) as StateRecord & { readonly is?: StateRecord['type'] };
  return record.is === undefined ? record : ({ ...record, type: record.is } as StateRecord);
}
