/**
 * Keeps the state of one run: opened with its sink, gone on with where an earlier run stood, and closed when the sink
 * is.
 */
import { defer, EMPTY, type Observable } from 'rxjs';
import type { Closing, Sink, SinkOutput } from '../../sinks/contract.js';
import type { JobStats } from '../core/model/job-stats.js';
import type { Notify } from '../core/model/notice.js';
import type { Secrets } from '../core/model/secrets.js';
import { unless } from '../core/util/unless.js';
import { beginAt } from './begin.js';
import { type Books, openBooks } from './books.js';
import type { Checkpoint } from './checkpoint.js';
import type { Position } from './position.js';
import type { BeginRecord } from './records.js';
import type { RowsKeeper } from './rows-copy.js';
import { createRunBooks, type RunBooks } from './run-books.js';
import type { Vault } from './vault.js';

export interface Keeping {
  /** The earlier run has ended, and all is published: there is nothing to do. */
  readonly isDone: boolean;
  /** What that run told of its outputs. */
  readonly told: readonly SinkOutput[];
  /** How the run opens and ends its sink: the books are opened and ended with it. */
  readonly sink: Pick<Sink, 'open' | 'close' | 'abort'>;
  /** Open from the opening of the sink on. `nameOf`: what the sink is told as a data type. */
  books(nameOf: (dataType: string) => string): RunBooks | undefined;
  /** What the jobs have come to by now, by their names. */
  shares(): ReadonlyMap<string, JobStats>;
  /** The run, failing when its state cannot be kept. */
  around<T>(run: Observable<T>): Observable<T>;
  /** Settles when all that has reached the sink is written down, or cannot be. */
  settled(): Promise<void>;
  /** Lets go of the store. */
  close(): Promise<void>;
}

export interface KeepingNeeds {
  readonly checkpoint: Checkpoint;
  readonly begin: Pick<BeginRecord, 'run' | 'startedAt' | 'marks'>;
  readonly sink: Sink;
  /** Those that it is made of. */
  readonly sinks: readonly Sink[];
  readonly vault: Vault;
  readonly secrets: Pick<Secrets, 'isSecret' | 'mask'>;
  readonly notify: Notify;
  /** All jobs, children too. */
  readonly jobNames: readonly string[];
  /** What the sink is told as data types. */
  readonly outputNames: readonly string[];
  /** Called when it is known where the run begins; by name what the jobs have come to already. */
  readonly onBegin: (shares: ReadonlyMap<string, JobStats>) => void;
}

/** Nothing is written before the sink is opened. */
export function keepState(needs: KeepingNeeds): Keeping {
  const { checkpoint, sink, jobNames, outputNames, secrets } = needs;
  const { store, earlier } = checkpoint;
  const keeper: RowsKeeper = { store, vault: needs.vault };
  const [last] = earlier;
  let books: Books | undefined;
  let opening: Promise<void> | undefined;

  const open = async () => {
    const position = await beginAt(needs, keeper);
    books = openBooks({ store, position, sink, onWithheld: withheldTeller(needs) });
    needs.onBegin(sharesOf(position, jobNames));
  };

  return {
    isDone: last?.phase === 'done',
    told: last === undefined ? [] : (JSON.parse(last.told) as readonly SinkOutput[]), // written by `publish`
    sink: {
      async open(dataType, job, hooks) {
        opening ??= open();
        await opening;
        await sink.open?.(dataType, job, hooks);
      },
      close: (closing) => publish(books, needs, closing),
      abort: (reason) => abort(books, needs, reason),
    },
    books(nameOf) {
      const outputNumber = (dataType: string) => outputNames.indexOf(nameOf(dataType));
      return books === undefined ? undefined : createRunBooks({ books, keeper, secrets, jobNames, outputNumber });
    },
    shares: () => (books === undefined ? new Map() : sharesOf(books.position, jobNames)),
    around: (run) => defer(() => (books === undefined ? EMPTY : unless(books.faults, run))),
    settled: async () => books?.settled().catch(() => {}),
    close: checkpoint.close,
  };
}

/**
 * Publishes between two records, so that a run that is broken off meanwhile is gone on with there; what it kept is
 * removed then.
 */
async function publish(
  books: Books | undefined,
  { checkpoint, sink }: KeepingNeeds,
  closing: Closing | undefined,
): Promise<void> {
  const { store } = checkpoint;
  await books?.settled();
  await books?.save({ is: 'publishing' });
  await sink.close(closing);
  await books?.save({ is: 'done', told: JSON.stringify(sink.summary?.() ?? []) });
  await books?.giveUp();
  for (const name of await store.partNames()) await store.removePart(name);
  await checkpoint.close();
}

async function abort(books: Books | undefined, { checkpoint, sink }: KeepingNeeds, reason: unknown): Promise<void> {
  await books?.giveUp();
  // The failure at hand says more than one of the state.
  await books?.save().catch(() => {});
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

function withheldTeller({ notify, jobNames }: KeepingNeeds) {
  return (job: number) =>
    notify({
      level: 'info',
      code: 'state-waits',
      job: jobNames[job] ?? '',
      message:
        'checkpoints paused: the next request, or an item of a child walk, contains a secret, which is never stored; a resume would restart before this page',
    });
}
