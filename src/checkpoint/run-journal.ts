/** The journal as the walks of a run see it: one record a page, in the order in which pages reach the sinks. */
import { type Observable, Subject } from 'rxjs';
import { asExtractError } from '../core/errors/errors.js';
import { type Exact, stringifyExact } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { JobStats } from '../core/model/job-stats.js';
import type { Secrets } from '../core/model/secrets.js';
import type { PageTask } from '../page/page-task.js';
import { type Rows, type RowsCopy, storedRows } from '../page/row-buffer.js';
import { createJournalWriter, type JournalWriter, type JournalWriterOptions } from './journal-writer.js';
import { keepText } from './lane-marks.js';
import { secretsOfJob } from './named-secrets.js';
import { type PageSummary, taskOf, toPageDraft } from './page-record.js';
import type { LaneMark, PageDraft, PhaseRecord } from './records.js';
import { createRowsWriter, type RowStore, readStoredRows } from './stored-rows.js';
import type { WalkPosition } from './walk-positions.js';

/** What the sinks said of a data type, in their order; undefined: a sink said nothing, or had the page already. */
export interface Committed {
  readonly dataType: string;
  readonly checkpoints: readonly (Exact | undefined)[];
}

export interface Journal {
  /** False: no state is kept. */
  readonly isKept: boolean;
  /** Where an earlier run has left a top-level job; undefined: it has got no page yet. */
  walkOf(job: string): WalkPosition | 'done' | undefined;
  /** The next page of a walk of an earlier run. */
  taskOf(walk: Pick<WalkPosition, 'next'>, job: Job): PageTask | undefined;
  /** The rows that it was going through. */
  rowsOf(walk: Pick<WalkPosition, 'rows'>, paths: readonly string[]): Rows | undefined;
  /** Makes the copy of the rows of a page; undefined: none is kept. */
  readonly createCopy: (() => RowsCopy) | undefined;
  /** What will be written of a page that was read; undefined: no state is kept. */
  describe(page: PageSummary): PageDraft | undefined;
  /** Sinks that have the next page of this top-level job already, by number, each with its mark. */
  aheadOf(job: string): ReadonlyMap<number, LaneMark>;
  /** How many pages with items the top-level job has in the journal. */
  pagesOf(job: string): number;
  /** The number of a top-level job, as sinks know it. */
  laneOf(job: string): string;
  /** What a `transaction` sink stores with the page. Waits until the rows of the page are on the disk. */
  keepOf(page: PageDraft): string | Promise<string>;
  /** Sets the mark of a sink that has more of a top-level job than the journal. */
  mark(sink: number, job: number, mark: LaneMark | undefined): void;
  /** Writes the record of a page that was committed. Calls are in the order of pages. */
  append(page: PageDraft, committed: Committed | undefined): Promise<void>;
  /** A top-level job has been walked to its end. */
  complete(job: string): void;
}

/** No state is kept. */
export const noJournal: Journal = {
  isKept: false,
  walkOf: () => undefined,
  taskOf: () => undefined,
  rowsOf: () => undefined,
  createCopy: undefined,
  describe: () => undefined,
  aheadOf: () => new Map(),
  pagesOf: () => 0,
  laneOf: () => '',
  keepOf: () => '',
  mark: () => {},
  append: async () => {},
  complete: () => {},
};

/** The journal of one run, which several views share. */
export interface RunJournal {
  /** `nameOf`: what the sinks are given as a data type. */
  view(nameOf: (dataType: string) => string): Journal;
  /** What the jobs add up to, by number. */
  readonly shares: ReadonlyMap<number, JobStats>;
  /** Settles when all records are written; rejects if one of them is not. */
  settled(): Promise<void>;
  /** Settles when all that is written, and this after it, survives a power cut. */
  save(phase?: PhaseRecord): Promise<void>;
  /** Settles when nothing is being written any more. */
  close(): Promise<void>;
  /** Fails when the state cannot be kept. Completes with `close`. */
  readonly faults: Observable<never>;
}

export interface RunJournalOptions extends Omit<JournalWriterOptions, 'onFault'> {
  readonly keeper: RowStore;
  readonly secrets: Pick<Secrets, 'isSecret' | 'mask'>;
  /** Of all jobs, children too. */
  readonly jobNames: readonly string[];
  /** Of the top-level jobs, in the order of their numbers. */
  readonly laneNames: readonly string[];
  /** What the sinks are given as data types. */
  readonly outputNames: readonly string[];
}

/** The position is that of the records in the store. */
export function createRunJournal(options: RunJournalOptions): RunJournal {
  const { position } = options;
  const faults = new Subject<never>();
  const onFault = (thrown: unknown) => faults.error(asExtractError(thrown, 'ERR_STATE'));
  const writer = createJournalWriter({ ...options, onFault });

  return {
    view: (nameOf) => viewOf(options, writer, nameOf, onFault),
    shares: position.shares,
    settled: () => writer.settled(),
    save: (phase) => writer.save(phase),
    async close() {
      await writer.close();
      faults.complete();
    },
    faults,
  };
}

function viewOf(
  options: RunJournalOptions,
  writer: JournalWriter,
  nameOf: (dataType: string) => string,
  onFault: (thrown: unknown) => void,
): Journal {
  const { store, position, keeper, secrets, jobNames, laneNames, outputNames } = options;
  const { vault } = keeper;
  const numberOf = (job: string) => jobNames.indexOf(job);
  const vaultOf = (job: Job) => vault.with(secretsOfJob(job, secrets));
  const outputsOf = ({ dataType, checkpoints }: Committed) => {
    const output = outputNames.indexOf(nameOf(dataType));
    return checkpoints.flatMap((checkpoint, sink) =>
      checkpoint === undefined ? [] : [[sink, output, stringifyExact(checkpoint)] as const],
    );
  };

  return {
    isKept: true,
    // What is being published is all there is: also a job that a bound of time has kept from beginning.
    walkOf: (job) => (position.phase === 'writing' ? position.walkOf(numberOf(job)) : 'done'),
    taskOf: ({ next }, job) => (next === undefined ? undefined : taskOf(next, job, vaultOf(job))),
    rowsOf: ({ rows }, paths) =>
      rows === undefined ? undefined : storedRows(rows, () => readStoredRows(keeper, rows), paths),
    createCopy: () => createRowsWriter(keeper),
    describe: (page) => toPageDraft(page, { vault: vaultOf(page.job), numberOf, mask: secrets.mask }),
    aheadOf: (job) => position.marksOf(numberOf(job)),
    pagesOf: (job) => position.pagesOf(numberOf(job)),
    laneOf: (job) => String(laneNames.indexOf(job)),
    keepOf(page) {
      // What the position has of a walk above may lack its next request.
      const kept = writer.isBelowHeld(page) ? { ...page, isWithheld: true as const } : page;
      const text = () => keepText(position.pagesOf(page.job) + 1, kept, () => position.laneAfter(page));
      return page.rows === undefined ? text() : store.sync([]).then(text);
    },
    mark: position.mark,
    async append(page, committed) {
      try {
        await writer.append(committed === undefined ? page : { ...page, outputs: outputsOf(committed) });
      } catch (thrown) {
        throw asExtractError(thrown, 'ERR_STATE');
      }
    },
    complete: (job) => void writer.append({ type: 'job-done', job: numberOf(job) }).catch(onFault),
  };
}
