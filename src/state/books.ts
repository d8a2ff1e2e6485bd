/** The books of a run: every page is entered in the order in which pages reach the sink, and written down once it has landed there. */
import { type Observable, Subject } from 'rxjs';
import { asExtractError } from '../errors.js';
import { stringifyExact } from '../exact.js';
import type { Sink } from '../types.js';
import { createEntries, type Entry } from './entries.js';
import type { Position } from './position.js';
import { type PageRecord, type RowPlace, type StateRecord, textOf } from './records.js';
import type { OpenStore } from './store.js';

export interface Books {
  readonly position: Position;
  /** Begins a page. It is known what it is, and that it has reached the sink, in either order. */
  entry(): Entry;
  /** The page has reached the sink, and nobody else may write there to its data type yet; without one it had no items. */
  enter(entry: Entry, sink: Pick<Sink, 'checkpoint'>, output: Output | undefined): void;
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

/** One data type of the sink, by its name and its number in the books. */
export interface Output {
  readonly dataType: string;
  readonly number: number;
}

export interface BooksNeeds {
  readonly store: OpenStore;
  readonly position: Position;
  readonly sink: Pick<Sink, 'durable'>;
  /** Hears, once for each, of a job whose next request cannot be written down. */
  readonly onWithheld: (job: number) => void;
  /** Calls once, in about a second, unless it is cancelled. */
  readonly soon?: (work: () => void) => () => void;
  /** The journal may grow to so many bytes, or twice its shortest form, before it is written anew; absent: 4 MiB. */
  readonly journalBytes?: number;
}

const mostJournalBytes = 4 * 1024 * 1024;

/** The position is that of the records in the store. */
export function openBooks(needs: BooksNeeds): Books {
  const { store, position, sink, onWithheld, soon = inASecond, journalBytes: least = mostJournalBytes } = needs;
  const withheld = createWithheld();
  const faults = new Subject<never>();
  let parts = partsOf(position);
  let obsolete: string[] = [];
  let journalBytes = 0;
  let most = least;
  let isBehind = false;
  let cancel: (() => void) | undefined;
  let saving: Promise<void> = Promise.resolve();

  const removeObsolete = async (names: readonly string[]) => {
    for (const name of names) await store.removePart(name);
  };
  const save = async (record?: StateRecord) => {
    if (withheld.isAny() || isBehind) return;
    const gone = obsolete;
    obsolete = [];
    const saved = textOf({ is: 'saved', count: position.count });
    await sink.durable?.();
    await store.sync([saved, ...(record === undefined ? [] : [textOf(record)])]);
    await removeObsolete(gone);
  };
  const saveInTurn = (record?: StateRecord): Promise<void> => {
    saving = saving.catch(() => {}).then(() => save(record));
    return saving;
  };
  const compact = async () => {
    await saving.catch(() => {});
    const gone = obsolete;
    obsolete = [];
    await sink.durable?.();
    const records = [position.begin, position.snapshot()].map(textOf);
    await store.replace(records);
    isBehind = false;
    journalBytes = 0;
    most = Math.max(least, 2 * records.join('').length);
    await removeObsolete(gone);
  };
  const fail = (thrown: unknown) => {
    faults.error(asExtractError(thrown, 'ERR_STATE'));
  };
  const tick = () => {
    cancel = undefined;
    saveInTurn().catch(fail);
  };

  const write = async (record: StateRecord) => {
    position.apply(record);
    const now = partsOf(position);
    obsolete.push(...[...parts].filter((name) => !now.has(name)));
    parts = now;
    if (withheld.isAny()) {
      isBehind = true;
    } else if (isBehind || journalBytes > most) {
      await compact();
    } else {
      const text = textOf(record);
      journalBytes += text.length;
      await store.append([text]);
      cancel ??= soon(tick);
    }
  };

  const entries = createEntries(async (record) => {
    if (record.is === 'page' && withheld.take(record)) onWithheld(record.took.job);
    if (record.is === 'over') withheld.forget(record.job);
    await write(record);
  }, fail);

  return {
    position,
    entry: entries.begin,
    enter(entry, sink, output) {
      entries.add(entry, output === undefined ? undefined : standing(sink, output));
    },
    over(job) {
      const entry = entries.begin();
      entry.fill({ is: 'over', job });
      entries.add(entry, undefined);
    },
    settled: entries.settled,
    async giveUp() {
      await entries.giveUp();
      cancel?.();
      await saving.catch(() => {});
      faults.complete();
    },
    save: saveInTurn,
    faults,
  };
}

/** The parts that hold rows which are still needed. */
export const partsOf = (position: Pick<Position, 'rows'>): ReadonlySet<string> =>
  new Set(position.rows().map(({ part }) => part));

async function standing(
  sink: Pick<Sink, 'checkpoint'>,
  { dataType, number }: Output,
): Promise<readonly [number, string] | undefined> {
  const checkpoint = await sink.checkpoint?.(dataType);
  return checkpoint === undefined ? undefined : [number, stringifyExact(checkpoint)];
}

/** Walks whose next request cannot be written down: until they have one that can be, or are over, nothing can be that lies behind. */
function createWithheld() {
  const all = new Map<string, { readonly job: number; readonly at: readonly RowPlace[] }>();
  const said = new Set<number>();
  const keyOf = ({ job, at }: Pick<PageRecord, 'job' | 'at'>) => JSON.stringify([job, at]);
  return {
    isAny: () => all.size > 0,
    /** Whether it is the first of its job. */
    take(record: PageRecord): boolean {
      for (const [key, each] of all) {
        if (each.job === record.job && !isAbove(each.at, record.at)) all.delete(key);
      }
      if (record.isWithheld !== true) return false;
      all.set(keyOf(record), record);
      const isFirst = !said.has(record.took.job);
      said.add(record.took.job);
      return isFirst;
    },
    forget(job: number) {
      for (const [key, each] of all) if (each.job === job) all.delete(key);
    },
  };
}

/** A page of a child does not change where its parents stand. */
const isAbove = (at: readonly RowPlace[], below: readonly RowPlace[]): boolean =>
  at.length < below.length && at.every((place, index) => String(place) === String(below[index]));

function inASecond(work: () => void): () => void {
  const timer = setTimeout(work, 1000);
  timer.unref();
  return () => clearTimeout(timer);
}
