/** The journal as walks use it: one record a page, in the order in which pages reach the sinks. */
import { type Observable, Subject } from 'rxjs';
import { asExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactObject, isObject, stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import type { Job } from '../core/model/job.js';
import type { JobStats } from '../core/model/job-stats.js';
import type { Secrets } from '../core/model/secrets.js';
import type { PageTask } from '../page/page-task.js';
import { type Rows, type RowsCopy, storedRows } from '../page/row-buffer.js';
import { createJournalWriter, type JournalWriter, type JournalWriterOptions } from './journal-writer.js';
import { keepText } from './lane-marks.js';
import { secretsOfJob } from './named-secrets.js';
import { type PageSummary, taskOf, toPageDraft, withOutputs } from './page-record.js';
import type { Position } from './position.js';
import type {
  LaneMark,
  OutputPosition,
  PageDraft,
  PhaseRecord,
  StateRecord,
  StoredReached,
  StoredReport,
} from './records.js';
import type { SecretReferences } from './secret-refs.js';
import { blocksOf, type TaskSize } from './seeds.js';
import { createRowsWriter, type RowStore, readStoredRows } from './stored-rows.js';
import type { WalkPosition } from './walk-positions.js';

/** What the sinks returned from `commit`, in their order; undefined: nothing, or the sink had the page already. */
export interface CommitResults {
  readonly dataType: string;
  readonly checkpoints: readonly (Exact | undefined)[];
}

export interface Journal {
  /** False: the run keeps no state. */
  readonly isKept: boolean;
  /** The position of a top-level job in an earlier run; undefined: it has no page yet. */
  walkOf(job: string): WalkPosition | 'done' | undefined;
  /** Restores the next page of a walk; undefined: there is none. */
  taskOf(walk: Pick<WalkPosition, 'next'>, job: Job): PageTask | undefined;
  /** Restores what is stored of the report of a walk. */
  valuesOf(report: StoredReport): Exact;
  /** Restores what is stored of a page; undefined: a secret in it is gone. */
  factsOf(stored: string, job: Job): ExactObject | undefined;
  /** Restores the rows of its last page; undefined: there are none. */
  rowsOf(walk: Pick<WalkPosition, 'rows'>, paths: readonly string[]): Rows | undefined;
  /** What a job has reached of the value that it remembers, for this parent. */
  reachedOf(job: string, by: string): StoredReached | undefined;
  /** Makes the copy of the rows of a page; undefined: the run keeps no state. */
  readonly createCopy: (() => RowsCopy) | undefined;
  /** Makes the record of a page, which has taken so many ms; undefined: the run keeps no state. */
  describe(page: PageSummary, pageMs: number): PageDraft | undefined;
  /** Marks of sinks that have the next page of this top-level job already, by sink number. */
  aheadOf(job: string): ReadonlyMap<number, LaneMark>;
  /** How many pages with items the top-level job has in the journal. */
  pagesOf(job: string): number;
  /** The number of a top-level job, as sinks know it. */
  laneOf(job: string): string;
  /**
   * Makes the `keep` that a `transaction` sink stores with the page. Waits until the rows of the page are on the disk.
   */
  keepOf(page: PageDraft): string | Promise<string>;
  /** Sets the mark of a sink that has more of a top-level job than the journal. */
  mark(sink: number, job: number, mark: LaneMark | undefined): void;
  /** Records that a sink may get items twice although it promises more; settles when that is on the disk. */
  weaken(sink: number): Promise<void>;
  /**
   * Writes the record of a committed page; returns a promise only if it must wait. The caller keeps the order of pages.
   */
  append(page: PageDraft, committed: CommitResults | undefined): void | Promise<void>;
  /** Records that the walk of a top-level job is complete. */
  complete(job: string): void;
}

/** The journal of a run without a state. */
export const noJournal: Journal = {
  isKept: false,
  walkOf: () => undefined,
  taskOf: () => undefined,
  valuesOf: () => null,
  factsOf: () => undefined,
  rowsOf: () => undefined,
  reachedOf: () => undefined,
  createCopy: undefined,
  describe: () => undefined,
  aheadOf: () => new Map(),
  pagesOf: () => 0,
  laneOf: () => '',
  keepOf: () => '',
  mark: () => {},
  weaken: async () => {},
  append: () => {},
  complete: () => {},
};

/** The journal of one run; its views share it. */
export interface RunJournal {
  /** `nameOf`: maps a data type to its name in the sinks. */
  view(nameOf: (dataType: string) => string): Journal;
  /** Totals of the jobs, by number. */
  readonly shares: ReadonlyMap<number, JobStats>;
  /** Settles when all records are written; rejects if one cannot be written. */
  settled(): Promise<void>;
  /** Settles when all written records, and then `phase`, survive a power cut. */
  save(phase?: PhaseRecord): Promise<void>;
  /** Settles when no write is in progress. */
  close(): Promise<void>;
  /** Fails when the state cannot be written. Completes with `close`. */
  readonly faults: Observable<never>;
}

export interface RunJournalOptions extends Omit<JournalWriterOptions, 'onFault'> {
  readonly keeper: RowStore;
  readonly secrets: Pick<Secrets, 'isSecret' | 'mask'>;
  /** Numbers of sinks that may get items twice although they promise more. */
  readonly weakened: Set<number>;
  /** All jobs, children too. */
  readonly jobNames: readonly string[];
  /** The top-level jobs, in the order of their numbers. */
  readonly laneNames: readonly string[];
  /** The names of the data types in the sinks. */
  readonly outputNames: readonly string[];
}

/** `position` is the one after the records in the store. */
export function createRunJournal(options: RunJournalOptions): RunJournal {
  const { position } = options;
  const faults = new Subject<never>();
  const onFault = (thrown: unknown) => faults.error(asExtractError(thrown, 'ERR_STATE'));
  const writer = createJournalWriter({ ...options, onFault });

  return {
    view: (nameOf) => viewOf(options, writer, nameOf, onFault),
    shares: position.shares,
    settled: () => writer.settled().catch(asStateError),
    save: (phase) => writer.save(phase).catch(asStateError),
    async close() {
      await writer.close();
      faults.complete();
    },
    faults,
  };
}

function asStateError(thrown: unknown): never {
  throw asExtractError(thrown, 'ERR_STATE');
}

function viewOf(
  options: RunJournalOptions,
  writer: JournalWriter,
  nameOf: (dataType: string) => string,
  onFault: (thrown: unknown) => void,
): Journal {
  const { store, position, keeper, secrets, weakened, jobNames, laneNames, outputNames } = options;
  const { references } = keeper;
  const numberOf = (job: string) => jobNames.indexOf(job);
  const append = (record: StateRecord): void | Promise<void> => {
    try {
      return writer.append(record)?.catch(asStateError);
    } catch (thrown) {
      return asStateError(thrown);
    }
  };
  const referencesOf = (job: Job) => references.with(secretsOfJob(job, secrets));
  const outputsOf = ({ dataType, checkpoints }: CommitResults) =>
    outputsAt(outputNames.indexOf(nameOf(dataType)), checkpoints);

  return {
    isKept: true,
    walkOf: (job) => walkIn(position, numberOf(job)),
    taskOf: ({ next }, job) => (next === undefined ? undefined : taskOf(next, job, referencesOf(job))),
    valuesOf: ({ values }) => references.unseal(parseExact(values)),
    factsOf(stored, job) {
      const facts = unsealed(stored, referencesOf(job));
      return isObject(facts) ? facts : undefined;
    },
    rowsOf: ({ rows }, paths) =>
      rows === undefined ? undefined : storedRows(rows, () => readStoredRows(keeper, rows), paths),
    reachedOf: (job, by) => position.reachedOf(numberOf(job), by),
    createCopy: () => createRowsWriter(keeper),
    describe(page, pageMs) {
      const context = { references: referencesOf(page.job), shared: references, numberOf, mask: secrets.mask };
      return withBlocks(toPageDraft(page, context), { children: page.children, pageMs, taskSize: store.taskSize });
    },
    aheadOf: (job) => position.marksOf(numberOf(job)),
    pagesOf: (job) => position.pagesOf(numberOf(job)),
    laneOf: (job) => String(laneNames.indexOf(job)),
    keepOf(page) {
      // The position may lack the next request of a walk above that is kept back.
      const kept = writer.isBelowWithheld(page) ? { ...page, isWithheld: true as const } : page;
      const text = () => keepText(position.pagesOf(page.job) + 1, kept, () => position.laneAfter(page));
      return page.rows === undefined ? text() : store.sync([]).then(text);
    },
    mark: position.mark,
    async weaken(sink) {
      if (weakened.has(sink)) return;
      weakened.add(sink);
      await append({ type: 'weakened', sink });
    },
    append: (page, committed) => append(committed === undefined ? page : withOutputs(page, outputsOf(committed))),
    complete(job) {
      const completing = async () => append({ type: 'job-done', job: numberOf(job) });
      completing().catch(onFault);
    },
  };
}

interface Sharing {
  readonly children: number | undefined;
  readonly pageMs: number;
  readonly taskSize: TaskSize | undefined;
}

/** Adds how the rows of the page become tasks, if they do. */
function withBlocks(draft: PageDraft, { children = 0, pageMs, taskSize }: Sharing): PageDraft {
  const { job, at, rows, isWithheld } = draft;
  if (taskSize === undefined || rows === undefined || isWithheld === true || children === 0) return draft;
  const blocks = blocksOf({ job, at, count: rows.count, children, pageMs }, taskSize);
  return blocks === undefined ? draft : { ...draft, blocks };
}

/** While a run publishes, no job has further pages: not even one that a time limit kept from its start. */
function walkIn(position: Position, job: number): WalkPosition | 'done' | undefined {
  const { begin, phase } = position;
  const isOwn = begin.task === undefined || begin.task.job === job;
  return phase === 'writing' && isOwn ? position.walkOf(job) : 'done';
}

function unsealed(text: string, references: Pick<SecretReferences, 'unseal'>): Exact {
  try {
    return references.unseal(parseExact(text));
  } catch {
    return null;
  }
}

function outputsAt(output: number, checkpoints: CommitResults['checkpoints']): readonly OutputPosition[] {
  const outputs: OutputPosition[] = [];
  for (const [sink, checkpoint] of checkpoints.entries()) {
    if (checkpoint !== undefined) outputs.push([sink, output, stringifyExact(checkpoint)]);
  }
  return outputs;
}
