/** The state of one run: opened with its sink, resumed at the position of an earlier run, closed with the sink. */

import { defer, EMPTY, type Observable } from 'rxjs';
import type { Closing, Sink, SinkOutput } from '../../sinks/contract.js';
import type { JobStats } from '../core/model/job-stats.js';
import type { Notify } from '../core/model/notice.js';
import type { FailedRequest, ProvenPage } from '../core/model/page.js';
import type { Secrets } from '../core/model/secrets.js';
import { defined } from '../core/util/defined.js';
import { elementAt } from '../core/util/element-at.js';
import { unless } from '../core/util/unless.js';
import type { ReachedWalk, RunMemory, SeenPage } from '../incremental/run-memory.js';
import type { Checkpoint } from './checkpoint.js';
import type { Position } from './position.js';
import { provenByName } from './proven-pages.js';
import { reachedByName } from './reached-walks.js';
import { type BeginRecord, isMember } from './records.js';
import { restorePosition } from './restore.js';
import { createRunJournal, type Journal, noJournal, type RunJournal } from './run-journal.js';
import type { SecretReferences } from './secret-refs.js';
import type { RowStore } from './stored-rows.js';
import { pagesByName } from './validated-pages.js';

export interface ResumeSession {
  /** The earlier run is complete and published: nothing is left to do. */
  readonly isDone: boolean;
  /** It is a part of a run that many processes share: nothing is published at its end. */
  readonly isTask: boolean;
  /** The outputs of that run. */
  readonly outputs: readonly SinkOutput[];
  /** An interrupted publication: the data types whose earlier output stays. Undefined: nothing was published. */
  readonly kept: ReadonlySet<string> | undefined;
  /** Records that the result of the run is not accepted, unless some of it may be published already. */
  reject(): Promise<void>;
  /** Opens and ends the sink of the run, and the journal with it. */
  readonly sink: Pick<Sink, 'open' | 'close' | 'abort'>;
  /** `noJournal` until the sink is open. `nameOf`: maps a data type to its name in the sinks. */
  journal(nameOf: (dataType: string) => string): Journal;
  /** Totals of the jobs so far, by name. */
  shares(): ReadonlyMap<string, JobStats>;
  /** What the walks have reached of the values that their jobs remember. */
  reached(): readonly ReachedWalk[];
  /** Passes the run on, and fails when its state cannot be written. */
  around<T>(run: Observable<T>): Observable<T>;
  /** Settles when the records of all committed pages are written, or a write has failed. */
  settled(): Promise<void>;
  /** Releases the store. */
  close(): Promise<void>;
}

export interface ResumeSessionOptions {
  readonly checkpoint: Checkpoint;
  readonly begin: Pick<BeginRecord, 'run' | 'startedAt' | 'marks' | 'values' | 'remembered' | 'again'>;
  /** What is remembered when the run has published, by what its walks have reached; undefined: as before. */
  readonly remember: (walks: readonly ReachedWalk[], pages: readonly SeenPage[]) => RunMemory | undefined;
  readonly sink: Sink;
  /** The sinks that `sink` consists of. */
  readonly sinks: readonly Sink[];
  readonly references: SecretReferences;
  readonly secrets: Pick<Secrets, 'isSecret' | 'mask'>;
  readonly notify: Notify;
  /** Sinks get pages again that have changed. */
  readonly sendsAgain: boolean;
  /** Numbers of sinks that may get items twice although they promise more. */
  readonly weakened: Set<number>;
  /** All jobs, children too. */
  readonly jobNames: readonly string[];
  /** The top-level jobs, in the order of their numbers. */
  readonly laneNames: readonly string[];
  /** The names of the data types in the sinks. */
  readonly outputNames: readonly string[];
  /** Called when the position is known, with the totals and the failures so far, by job name. */
  readonly onBegin: (
    shares: ReadonlyMap<string, JobStats>,
    skips: ReadonlyMap<string, readonly FailedRequest[]>,
    proofs: readonly ProvenPage[],
  ) => void;
}

function announce(position: Position, { jobNames, onBegin }: ResumeSessionOptions): void {
  onBegin(sharesOf(position, jobNames), skipsOf(position, jobNames), provenByName(position.proofs(), jobNames));
}

/** Writes nothing before the sink is opened. */
export function openResumeSession(options: ResumeSessionOptions): ResumeSession {
  const { checkpoint, sink, jobNames } = options;
  const { store, earlier } = checkpoint;
  const keeper: RowStore = { store, references: options.references };
  const [last] = earlier;
  let position: Position | undefined;
  let journal: RunJournal | undefined;
  let opening: Promise<void> | undefined;

  const open = async () => {
    position = await restorePosition(options, keeper);
    journal = createRunJournal({ ...options, store, position, keeper, onWithheld: withheldReporter(options) });
    announce(position, options);
  };

  // A publication that was interrupted has fixed it.
  const memoryOf = () =>
    position?.phase === 'publishing'
      ? position.remembered
      : options.remember(
          reachedByName(position?.reached() ?? [], jobNames),
          pagesByName(position?.pages() ?? [], jobNames),
        );

  return {
    isDone: last?.phase === 'done',
    isTask: isTask(checkpoint),
    get kept() {
      return position?.phase === 'publishing' ? new Set(position.kept) : undefined;
    },
    async reject() {
      if (position?.phase !== 'writing') return;
      await journal?.settled();
      await journal?.save({ type: 'rejected' });
    },
    outputs: last === undefined ? [] : (JSON.parse(last.outputsJson) as readonly SinkOutput[]), // written by `publish`
    sink: {
      async open(dataType, job, hooks) {
        opening ??= open();
        await opening;
        await sink.open?.(dataType, job, hooks);
      },
      close: (closing) => publish(journal, options, closing, memoryOf),
      abort: (reason) => abort(journal, options, reason),
    },
    journal: (nameOf) => journal?.view(nameOf) ?? noJournal,
    reached: () => reachedByName((position ?? last)?.reached() ?? [], jobNames),
    shares: () => (journal === undefined ? new Map() : sharesOf(journal, jobNames)),
    around: (run) => defer(() => (journal === undefined ? EMPTY : unless(journal.faults, run))),
    settled: async () => journal?.settled().catch(() => {}),
    close: checkpoint.close,
  };
}

/**
 * Publishes between two records, so that a resume repeats an interrupted publication. Then removes the stored rows. A
 * task publishes nothing.
 */
async function publish(
  journal: RunJournal | undefined,
  { checkpoint, sink }: ResumeSessionOptions,
  closing: Closing | undefined,
  memoryOf: () => RunMemory | undefined,
): Promise<void> {
  await journal?.settled();
  if (isTask(checkpoint)) {
    // A crash before the last record repeats it: a sink can be left twice.
    await sink.leave?.();
    return end(journal, checkpoint, sink);
  }
  const remembered = memoryOf();
  await journal?.save({ type: 'publishing', keep: [...(closing?.keep ?? [])], ...defined({ remembered }) });
  await sink.close(closing);
  await end(journal, checkpoint, sink);
}

const isTask = ({ earlier: [last] }: Checkpoint): boolean => last !== undefined && isMember(last.begin);

/** Writes the last record, then removes the stored rows. */
async function end(journal: RunJournal | undefined, checkpoint: Checkpoint, sink: Sink): Promise<void> {
  const { store } = checkpoint;
  await journal?.save({ type: 'done', outputs: JSON.stringify(sink.summary?.() ?? []) });
  await journal?.close();
  for (const name of await store.partNames()) await store.removePart(name);
  await checkpoint.close();
}

async function abort(
  journal: RunJournal | undefined,
  { checkpoint, sink }: ResumeSessionOptions,
  reason: unknown,
): Promise<void> {
  await journal?.close();
  // The first failure explains more than one of the state.
  await journal?.save().catch(() => {});
  try {
    await sink.abort(reason);
  } finally {
    await checkpoint.close();
  }
}

/** Totals by job name. */
export const sharesOf = (
  { shares }: Pick<Position, 'shares'>,
  names: readonly string[],
): ReadonlyMap<string, JobStats> => new Map([...shares].map(([number, share]) => [elementAt(names, number), share]));

/** Requests that failed and were left out, by job name. */
export function skipsOf(
  position: Pick<Position, 'failures'>,
  names: readonly string[],
): ReadonlyMap<string, readonly FailedRequest[]> {
  const skips = new Map<string, FailedRequest[]>();
  for (const [, job, { again: _, ...failure }] of position.failures()) {
    const name = names[job] ?? '';
    const own = skips.get(name) ?? [];
    own.push(failure);
    skips.set(name, own);
  }
  return skips;
}

function withheldReporter({ notify, jobNames }: ResumeSessionOptions) {
  return (job: number) =>
    notify({
      level: 'info',
      code: 'state-waits',
      job: elementAt(jobNames, job),
      message:
        'checkpoints paused: the next request, or an item of a child walk, contains a secret, which is never stored; a resume would restart before this page',
    });
}
