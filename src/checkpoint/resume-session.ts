/** The state of one run: opened with its sink, continued where an earlier run stood, closed when the sink is closed. */
import { defer, EMPTY, type Observable } from 'rxjs';
import type { Closing, Sink, SinkOutput } from '../../sinks/contract.js';
import type { JobStats } from '../core/model/job-stats.js';
import type { Notify } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import { unless } from '../core/util/unless.js';
import type { Checkpoint } from './checkpoint.js';
import type { Position } from './position.js';
import type { BeginRecord } from './records.js';
import { restorePosition } from './restore.js';
import { createRunJournal, type Journal, noJournal, type RunJournal } from './run-journal.js';
import type { SecretReferences } from './secret-refs.js';
import type { RowStore } from './stored-rows.js';

export interface ResumeSession {
  /** The earlier run is complete and published: there is nothing to do. */
  readonly isDone: boolean;
  /** The outputs of that run. */
  readonly outputs: readonly SinkOutput[];
  /** How the run opens and ends its sink: the journal is opened and closed with it. */
  readonly sink: Pick<Sink, 'open' | 'close' | 'abort'>;
  /** Open after the sink was opened. `nameOf`: what the sinks are given as a data type. */
  journal(nameOf: (dataType: string) => string): Journal;
  /** What the jobs add up to by now, by their names. */
  shares(): ReadonlyMap<string, JobStats>;
  /** The run, failing when its state cannot be kept. */
  around<T>(run: Observable<T>): Observable<T>;
  /** Settles when all pages that were committed are written, or cannot be. */
  settled(): Promise<void>;
  /** Releases the store. */
  close(): Promise<void>;
}

export interface ResumeSessionOptions {
  readonly checkpoint: Checkpoint;
  readonly begin: Pick<BeginRecord, 'run' | 'startedAt' | 'marks'>;
  readonly sink: Sink;
  /** Those that it is made of. */
  readonly sinks: readonly Sink[];
  readonly vault: SecretReferences;
  readonly secrets: Pick<Secrets, 'isSecret' | 'mask'>;
  readonly notify: Notify;
  /** Sinks, by number, of which items may arrive twice though they promise more. */
  readonly weakened: Set<number>;
  /** All jobs, children too. */
  readonly jobNames: readonly string[];
  /** The top-level jobs, in the order of their numbers. */
  readonly laneNames: readonly string[];
  /** What the sinks are given as data types. */
  readonly outputNames: readonly string[];
  /** Called when it is known where the run begins, with what the jobs add up to already, by name. */
  readonly onBegin: (shares: ReadonlyMap<string, JobStats>) => void;
}

/** Nothing is written before the sink is opened. */
export function openResumeSession(options: ResumeSessionOptions): ResumeSession {
  const { checkpoint, sink, jobNames } = options;
  const { store, earlier } = checkpoint;
  const keeper: RowStore = { store, vault: options.vault };
  const [last] = earlier;
  let journal: RunJournal | undefined;
  let opening: Promise<void> | undefined;

  const open = async () => {
    const position = await restorePosition(options, keeper);
    journal = createRunJournal({ ...options, store, position, keeper, onHeld: heldReporter(options) });
    options.onBegin(sharesOf(position, jobNames));
  };

  return {
    isDone: last?.phase === 'done',
    outputs: last === undefined ? [] : (JSON.parse(last.outputsJson) as readonly SinkOutput[]), // written by `publish`
    sink: {
      async open(dataType, job, hooks) {
        opening ??= open();
        await opening;
        await sink.open?.(dataType, job, hooks);
      },
      close: (closing) => publish(journal, options, closing),
      abort: (reason) => abort(journal, options, reason),
    },
    journal: (nameOf) => journal?.view(nameOf) ?? noJournal,
    shares: () => (journal === undefined ? new Map() : sharesOf(journal, jobNames)),
    around: (run) => defer(() => (journal === undefined ? EMPTY : unless(journal.faults, run))),
    settled: async () => journal?.settled().catch(() => {}),
    close: checkpoint.close,
  };
}

/**
 * Publishes between two records, so that a run that is interrupted meanwhile continues there; the rows that it stored
 * are removed then.
 */
async function publish(
  journal: RunJournal | undefined,
  { checkpoint, sink }: ResumeSessionOptions,
  closing: Closing | undefined,
): Promise<void> {
  const { store } = checkpoint;
  await journal?.settled();
  await journal?.save({ type: 'publishing' });
  await sink.close(closing);
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
  // The failure at hand says more than one of the state.
  await journal?.save().catch(() => {});
  try {
    await sink.abort(reason);
  } finally {
    await checkpoint.close();
  }
}

/** By the names of jobs. */
export const sharesOf = (
  { shares }: Pick<Position, 'shares'>,
  names: readonly string[],
): ReadonlyMap<string, JobStats> => new Map([...shares].map(([number, share]) => [names[number] ?? '', share]));

function heldReporter({ notify, jobNames }: ResumeSessionOptions) {
  return (job: number) =>
    notify({
      level: 'info',
      code: 'state-waits',
      job: jobNames[job] ?? '',
      message:
        'checkpoints paused: the next request, or an item of a child walk, contains a secret, which is never stored; a resume would restart before this page',
    });
}
