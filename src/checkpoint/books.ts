/**
 * The books of a run: every page is entered in the order in which pages reach the sink, and written down once it has
 * landed there.
 */
import { type Observable, Subject } from 'rxjs';
import type { Sink } from '../../sinks/contract.js';
import { asExtractError } from '../core/errors/errors.js';
import { createEntries, type Entry } from './entries.js';
import { createJournal, type Soon } from './journal.js';
import type { Position } from './position.js';
import type { OutputPosition, StateRecord } from './records.js';
import type { OpenStore } from './store.js';
import { createWithheld } from './withheld.js';

export interface Books {
  readonly position: Position;
  /** Begins a page. It is known what it is, and that it has reached the sink, in either order. */
  entry(): Entry;
  /** The page has reached the sinks, and nobody else may write to its data type yet. */
  enter(entry: Entry, outputs: readonly OutputPosition[]): void;
  /** A top-level job has been walked to its end. */
  over(job: number): void;
  /** Settles when all that was entered is written down; rejects where some of it cannot be. */
  settled(): Promise<void>;
  /** Nothing is entered any more; what cannot be written down by itself is given up. Settles when that is over. */
  giveUp(): Promise<void>;
  /** Settles when all that is written down, and this behind it, outlives the machine. */
  save(record?: StateRecord): Promise<void>;
  /** Fails when the state cannot be kept. Completes when the books are closed. */
  readonly faults: Observable<never>;
}

export interface BooksNeeds {
  readonly store: OpenStore;
  readonly position: Position;
  readonly sink: Pick<Sink, 'durable'>;
  /** Hears, once for each, of a job whose next request cannot be written down. */
  readonly onWithheld: (job: number) => void;
  readonly soon?: Soon;
  /** The journal may grow to so many bytes, or twice its shortest form, before it is written anew; absent: 4 MiB. */
  readonly journalBytes?: number;
}

const mostJournalBytes = 4 * 1024 * 1024;

/** The position is that of the records in the store. */
export function openBooks(needs: BooksNeeds): Books {
  const { position, onWithheld, soon = inASecond, journalBytes: leastBytes = mostJournalBytes } = needs;
  const withheld = createWithheld();
  const faults = new Subject<never>();
  const onFault = (thrown: unknown) => faults.error(asExtractError(thrown, 'ERR_STATE'));
  const journal = createJournal({ ...needs, soon, leastBytes, isHeldBack: withheld.isAny, onFault });
  const entries = createEntries(async (record) => {
    if (record.is === 'page' && withheld.take(record)) onWithheld(record.took.job);
    if (record.is === 'over') withheld.forget(record.job);
    await journal.write(record);
  }, onFault);

  return {
    position,
    entry: entries.begin,
    enter: (entry, outputs) => entries.add(entry, outputs),
    over(job) {
      const entry = entries.begin();
      entry.fill({ is: 'over', job });
      entries.add(entry, []);
    },
    settled: entries.settled,
    async giveUp() {
      await entries.giveUp();
      await journal.close();
      faults.complete();
    },
    save: journal.save,
    faults,
  };
}

function inASecond(work: () => void): () => void {
  const timer = setTimeout(work, 1000);
  timer.unref();
  return () => clearTimeout(timer);
}
