/** The position of a run: what its journal records add up to. */

import { type JobStats, noStats, withPage } from '../core/model/job-stats.js';
import { defined } from '../core/util/defined.js';
import type { RunMemory } from '../incremental/run-memory.js';
import type { StoredRows } from '../page/row-buffer.js';
import { type LaneProgress, markAfter, walkAfter } from './lane-marks.js';
import { createLeftOut } from './left-out.js';
import { createProvenPages, laneProof } from './proven-pages.js';
import { createReachedWalks } from './reached-walks.js';
import {
  type BeginRecord,
  isPublisher,
  type LaneFailure,
  type LaneMark,
  type LanePage,
  type LaneProof,
  type LaneReached,
  type MemberOutputs,
  type OutputPosition,
  type PageDraft,
  type PageRecord,
  type SnapshotRecord,
  type StateRecord,
  type StoredReached,
} from './records.js';
import { createValidatedPages } from './validated-pages.js';
import { bareWalk, createWalkPositions, type WalkPosition } from './walk-positions.js';

/** `written`: the tasks of a shared run have written all items, and another one publishes them. */
export type Phase = 'writing' | 'written' | 'publishing' | 'done';

export interface Position {
  readonly begin: BeginRecord;
  /** Records the recoveries of the sinks, to which one for dead letters was added. */
  addSinks(sinks: BeginRecord['sinks']): void;
  /** Removes the names of replaced runs from `begin`: all sinks know them. */
  forgetReplaced(): void;
  readonly phase: Phase;
  /** While it publishes: the data types whose earlier output stays. */
  readonly kept: readonly string[];
  /** While it publishes: what will be remembered; undefined: as before. */
  readonly remembered: RunMemory | undefined;
  /** The outputs of a complete run, as JSON text. */
  readonly outputsJson: string;
  /** How many records of pages and completed jobs there are. */
  readonly count: number;
  /** When the last page was read, in epoch ms; 0: no page yet. */
  readonly time: number;
  /** Undefined: the job has no page yet. */
  walkOf(job: number): WalkPosition | 'done' | undefined;
  readonly outputs: Iterable<OutputPosition>;
  /** The checkpoints of the members of a shared run, for the task that publishes it. */
  readonly members: readonly MemberOutputs[];
  readonly shares: ReadonlyMap<number, JobStats>;
  /** What a job has reached of the value that it remembers, for this parent. */
  reachedOf(job: number, by: string): StoredReached | undefined;
  /** The same of all jobs. */
  reached(): readonly LaneReached[];
  /** Pages of which the next run can ask whether they have changed. */
  pages(): readonly LanePage[];
  /** The proofs of its pages, if it is certified, in the order of their commits. */
  proofs(): readonly LaneProof[];
  /** Requests that failed and were left out. */
  failures(): readonly LaneFailure[];
  /** How many pages with items a top-level job has. */
  pagesOf(job: number): number;
  /** The mark of the last of these pages; undefined: there is none. */
  lastOf(job: number): LaneMark | undefined;
  /** Marks of sinks that have more pages of a top-level job, by sink number. */
  marksOf(job: number): ReadonlyMap<number, LaneMark>;
  /** Sets the mark of a sink that has more pages of the job, or removes it. */
  mark(sink: number, job: number, mark: LaneMark | undefined): void;
  /** Numbers of sinks that may have got items twice although they promise more. */
  readonly weakened: ReadonlySet<number>;
  /** The position of a top-level job after this page. Undefined: it is longer than a `keep` may be. */
  laneAfter(page: PageDraft): LaneProgress | undefined;
  /** Moves a top-level job to the position that a sink holds. */
  moveLane(job: number, last: LaneMark, progress: LaneProgress): void;
  /** Moves a top-level job to its beginning. */
  resetLane(job: number): void;
  /** Stored rows that a walk still needs. */
  rows(): readonly StoredRows[];
  /** Applies the next record. */
  apply(record: StateRecord): void;
  snapshot(): SnapshotRecord;
}

/** The names of the parts with rows that a walk still needs. */
export const partsOf = (position: Pick<Position, 'rows'>): ReadonlySet<string> =>
  new Set(position.rows().map(({ part }) => part));

/** Whether the record is that of a page or of a completed job. */
export const isCounted = ({ type }: StateRecord): boolean => type === 'page' || type === 'job-done';

/** Starts with the begin record alone. */
export const createPosition = (begin: BeginRecord): Position => new RunPosition(begin);

const noMarks: ReadonlyMap<number, LaneMark> = new Map();

class RunPosition implements Position {
  begin: BeginRecord;
  phase: Phase;
  kept: readonly string[] = [];
  remembered: RunMemory | undefined = undefined;
  outputsJson = '[]';
  members: readonly MemberOutputs[] = [];
  count = 0;
  time = 0;
  readonly shares = new Map<number, JobStats>();
  readonly weakened = new Set<number>();
  readonly #lanes = new Map<number, LaneMark>();
  readonly #walks = createWalkPositions();
  readonly #reached = createReachedWalks();
  readonly #leftOut = createLeftOut();
  readonly #validated = createValidatedPages();
  readonly #proven = createProvenPages();
  readonly #outputs = new Map<string, OutputPosition>();
  /** By job, then by sink. */
  readonly #marks = new Map<number, Map<number, LaneMark>>();

  constructor(begin: BeginRecord) {
    this.begin = begin;
    this.phase = isPublisher(begin) ? 'written' : 'writing';
  }

  addSinks(sinks: BeginRecord['sinks']): void {
    this.begin = { ...this.begin, sinks };
  }

  forgetReplaced(): void {
    const { replaces: _, ...begin } = this.begin;
    this.begin = begin;
  }

  get outputs(): Iterable<OutputPosition> {
    return this.#outputs.values();
  }

  walkOf(job: number): WalkPosition | 'done' | undefined {
    return this.#walks.of(job);
  }

  reachedOf(job: number, by: string): StoredReached | undefined {
    return this.#reached.of(job, by);
  }

  reached(): readonly LaneReached[] {
    return this.#reached.all();
  }

  pages(): readonly LanePage[] {
    return this.#validated.all();
  }

  proofs(): readonly LaneProof[] {
    return this.#proven.all();
  }

  failures(): readonly LaneFailure[] {
    return this.#leftOut.all();
  }

  pagesOf(job: number): number {
    return this.#lanes.get(job)?.m ?? 0;
  }

  lastOf(job: number): LaneMark | undefined {
    return this.#lanes.get(job);
  }

  marksOf(job: number): ReadonlyMap<number, LaneMark> {
    return this.#marks.get(job) ?? noMarks;
  }

  readonly mark = (sink: number, job: number, mark: LaneMark | undefined): void => {
    const marks = this.#marks.get(job) ?? new Map<number, LaneMark>();
    if (mark === undefined || mark.m <= this.pagesOf(job)) marks.delete(sink);
    else marks.set(sink, mark);
    if (marks.size === 0) this.#marks.delete(job);
    else this.#marks.set(job, marks);
  };

  laneAfter(page: PageDraft): LaneProgress | undefined {
    const [reached, failures] = [this.#reached.after(page), this.#leftOut.after(page)];
    if (reached === undefined || failures === undefined) return undefined;
    const walk = this.#walks.of(page.job);
    const before = walk === undefined || walk === 'done' ? undefined : bareWalk(walk);
    const own = withPage(this.shares.get(page.took.job) ?? noStats, page.took);
    const others = [...(this.#jobs.get(page.job) ?? [])].filter((job) => job !== page.took.job);
    const shares = others.map((job) => [job, this.shares.get(job) ?? noStats] as const);
    const progress = { walk: walkAfter(before, page), shares: [...shares, [page.took.job, own] as const] };
    return {
      ...progress,
      ...(reached.length === 0 ? {} : { reached }),
      ...(failures.length === 0 ? {} : { failures }),
      ...defined({ proof: laneProof(page) }),
    };
  }

  moveLane(job: number, last: LaneMark, { walk, shares, reached = [], failures = [], proof }: LaneProgress): void {
    this.#walks.moveTo(job, walk, last.print);
    this.#lanes.set(job, last);
    this.#forgetShares(job);
    for (const share of shares) this.#setShare(job, ...share);
    this.#reached.setLane(job, reached);
    this.#leftOut.setLane(job, failures);
    this.#proven.cut(job, last.m, proof);
    this.#validated.forget(job);
  }

  resetLane(job: number): void {
    this.#walks.forget(job);
    this.#lanes.delete(job);
    this.#forgetShares(job);
    this.#reached.setLane(job, []);
    this.#leftOut.setLane(job, []);
    this.#proven.cut(job, 0, undefined);
    this.#validated.forget(job);
  }

  rows(): readonly StoredRows[] {
    return this.#walks.rows();
  }

  readonly apply = (record: StateRecord): void => {
    if (isCounted(record)) this.count += 1;
    if (record.type === 'page') this.#takePage(record);
    else if (record.type === 'job-done') this.#walks.end(record.job);
    else if (record.type === 'snapshot') this.#takeSnapshot(record);
    else if (record.type === 'weakened') this.weakened.add(record.sink);
    else if (record.type === 'publishing' || record.type === 'done') {
      this.phase = record.type;
      this.outputsJson = record.outputs ?? '[]';
      this.kept = record.keep ?? [];
      this.remembered = record.remembered;
    }
  };

  snapshot(): SnapshotRecord {
    const [reached, failures, pages] = [this.#reached.all(), this.#leftOut.all(), this.pages()];
    return {
      type: 'snapshot',
      count: this.count,
      jobs: this.#walks.kept(),
      outputs: [...this.outputs],
      shares: [...this.shares],
      lanes: [...this.#lanes],
      marks: [...this.#marks].flatMap(([job, marks]) => [...marks].map(([sink, mark]) => [sink, job, mark] as const)),
      lanesOf: [...this.#jobs].map(([lane, jobs]) => [lane, [...jobs]] as const),
      time: this.time,
      weakened: [...this.weakened],
      ...(reached.length === 0 ? {} : { reached }),
      ...(failures.length === 0 ? {} : { failures }),
      ...(pages.length === 0 ? {} : { pages }),
      ...(this.members.length === 0 ? {} : { members: this.members }),
      ...(this.proofs().length === 0 ? {} : { proofs: [...this.proofs()] }),
    };
  }

  /** Jobs with pages, by their top-level job. */
  readonly #jobs = new Map<number, Set<number>>();

  #forgetShares(lane: number): void {
    for (const job of this.#jobs.get(lane) ?? []) this.shares.delete(job);
    this.#jobs.delete(lane);
  }

  #setShare(lane: number, job: number, share: JobStats): void {
    this.shares.set(job, share);
    const jobs = this.#jobs.get(lane);
    if (jobs === undefined) this.#jobs.set(lane, new Set([job]));
    else jobs.add(job);
  }

  #takePage(page: PageRecord): void {
    const { job, took, time } = page;
    this.#walks.take(page);
    this.#reached.take(page);
    this.#leftOut.take(page);
    this.#validated.take(page);
    this.#proven.take(page);
    this.time = time;
    this.#setShare(job, took.job, withPage(this.shares.get(took.job) ?? noStats, took));
    if (page.outputs !== undefined) for (const output of page.outputs) this.#setOutput(output);
    if (took.count === 0) return;
    this.#lanes.set(job, markAfter(this.pagesOf(job) + 1, page));
    if (this.#marks.size > 0) for (const [sink, mark] of [...this.marksOf(job)]) this.mark(sink, job, mark);
  }

  #setOutput(output: OutputPosition): void {
    this.#outputs.set(`${output[0]}.${output[1]}`, output);
  }

  #takeSnapshot({
    count,
    jobs,
    outputs,
    shares,
    lanes,
    marks,
    lanesOf,
    time,
    weakened,
    reached = [],
    failures = [],
    pages = [],
    members = [],
    proofs = [],
  }: SnapshotRecord): void {
    this.count = count;
    this.members = members;
    this.time = time;
    this.#walks.restore(jobs);
    this.#reached.restore(reached);
    this.#leftOut.restore(failures);
    this.#validated.restore(pages);
    this.#proven.restore(proofs);
    for (const output of outputs) this.#setOutput(output);
    for (const [job, share] of shares) this.shares.set(job, share);
    for (const [lane, own] of lanesOf) this.#jobs.set(lane, new Set(own));
    for (const [job, last] of lanes) this.#lanes.set(job, last);
    for (const [sink, job, mark] of marks) this.mark(sink, job, mark);
    for (const sink of weakened) this.weakened.add(sink);
  }
}
