/** Writes the journal: when to append a record, when to sync, and when to replace all records by a snapshot. */
import type { Sink } from '../../sinks/contract.js';
import { createTurns } from '../../sinks/serialize.js';
import { settleAll } from '../../sinks/settle.js';
import type { Position } from './position.js';
import { type PageDraft, type StateRecord, textOf } from './records.js';
import type { OpenStore } from './store/store.js';
import { createWithheldWalks } from './withheld-walks.js';

export interface JournalWriter {
  /**
   * Applies the record to the position and writes it. While a walk is withheld it writes nothing; the append that ends
   * this writes a snapshot. That a sink is weakened is always written, and on the disk then. Runs in the order of
   * calls; returns a promise only if it must wait. Throws or rejects if a write fails, and so do all later calls.
   */
  append(record: StateRecord): void | Promise<void>;
  /** Whether a walk above the one of the page is withheld: its next request or its rows cannot be written. */
  isBelowWithheld(page: PageDraft): boolean;
  /** Settles when all earlier appends are done; rejects if one of them failed. */
  settled(): Promise<void>;
  /**
   * Settles when all written records, and then `record`, survive a power cut. Does nothing while records are withheld,
   * and after a failed append.
   */
  save(record?: StateRecord): Promise<void>;
  /** Cancels a scheduled save, and settles when no write is in progress. */
  close(): Promise<void>;
}

/** Calls `work` once, in about a second. The result cancels it. */
export type Soon = (work: () => void) => () => void;

export interface JournalWriterOptions {
  readonly store: OpenStore;
  /** The position after the records in the store. */
  readonly position: Position;
  /** Their data is synced before the records of it. */
  readonly sinks: readonly Pick<Sink, 'durable'>[];
  /** Called once for each job whose next request or rows cannot be written. */
  readonly onWithheld: (job: number) => void;
  /** Called when a scheduled save fails. */
  readonly onFault: (thrown: unknown) => void;
  readonly soon?: Soon;
  /**
   * How many bytes the journal may grow by before a snapshot replaces it, with the parts that are no longer needed, or
   * twice the last snapshot if that is more; absent: 4 MiB.
   */
  readonly journalBytes?: number;
}

const mostJournalBytes = 4 * 1024 * 1024;

/** Continues after the records in the store. All calls reject with the error of the store. */
export const createJournalWriter = (options: JournalWriterOptions): JournalWriter => new StoredJournal(options);

class StoredJournal implements JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #inTurn = createTurns();
  readonly #withheld = createWithheldWalks();
  readonly #parts: GarbageParts;
  readonly #growth: ReturnType<typeof createGrowth>;
  readonly #saveSoon: ReturnType<typeof createOnce>;
  /** The position has records that the store lacks. */
  #isBehind = false;
  #saving: Promise<void> = Promise.resolve();
  #broken: { readonly thrown: unknown } | undefined;

  constructor(options: JournalWriterOptions) {
    const { store, position, onFault, soon = inASecond, journalBytes = mostJournalBytes } = options;
    this.#options = options;
    this.#parts = createGarbageParts(store, position);
    this.#growth = createGrowth(journalBytes);
    this.#saveSoon = createOnce(soon, () => void this.save().catch(onFault));
  }

  append(record: StateRecord): void | Promise<void> {
    return this.#inTurn(() => this.#append(record));
  }

  isBelowWithheld(page: PageDraft): boolean {
    return this.#withheld.isAbove(page);
  }

  async settled(): Promise<void> {
    await this.#inTurn(() => this.#mustWork());
  }

  save(record?: StateRecord): Promise<void> {
    this.#saving = this.#saving.catch(() => {}).then(() => this.#saveNow(record));
    return this.#saving;
  }

  async close(): Promise<void> {
    this.#saveSoon.cancel();
    await this.#inTurn(() => {});
    await this.#saving.catch(() => {});
  }

  #mustWork(): void {
    if (this.#broken !== undefined) throw this.#broken.thrown;
  }

  #append(record: StateRecord): void | Promise<void> {
    this.#mustWork();
    try {
      return this.#write(record)?.catch(this.#breaks);
    } catch (thrown) {
      return this.#breaks(thrown);
    }
  }

  readonly #breaks = (thrown: unknown): never => {
    this.#broken = { thrown };
    throw thrown;
  };

  #write(record: StateRecord): void | Promise<void> {
    const { store, position, onWithheld } = this.#options;
    position.apply(record);
    if (record.type === 'weakened') return store.sync([textOf(record)]);
    this.#growth.add(this.#parts.note(record));
    if (this.#withheld.take(record)) onWithheld(record.type === 'page' ? record.took.job : 0);
    if (this.#withheld.isAny()) {
      this.#isBehind = true;
      return undefined;
    }
    if (this.#isBehind || this.#growth.isTooMuch()) return this.#writeAnew();
    const text = textOf(record);
    this.#growth.add(Buffer.byteLength(text));
    this.#saveSoon.ask();
    // A report that is lost would be created again.
    if (record.type === 'page' && record.report !== undefined) return store.sync([text]);
    return store.appendNow?.(text) === true ? undefined : store.append([text]);
  }

  async #writeAnew(): Promise<void> {
    const { store, position } = this.#options;
    await this.#saving.catch(() => {});
    const removeGarbage = this.#parts.take();
    await afterData(this.#options, async () => {
      const shortest = [position.begin, position.snapshot()].map(textOf);
      await store.replace(shortest);
      this.#isBehind = false;
      this.#growth.restart(shortest.join(''));
    });
    await removeGarbage();
  }

  async #saveNow(record?: StateRecord): Promise<void> {
    if (this.#withheld.isAny() || this.#isBehind || this.#broken !== undefined) return;
    const { store, position } = this.#options;
    const synced: StateRecord = { type: 'sync', count: position.count };
    const records = record === undefined ? [synced] : [synced, record];
    await afterData(this.#options, () => store.sync(records.map(textOf)));
  }
}

/** Syncs the data, then writes the records of it. */
async function afterData({ sinks }: Pick<JournalWriterOptions, 'sinks'>, writing: () => Promise<void>): Promise<void> {
  await settleAll(sinks.map(async (sink) => sink.durable?.()));
  await writing();
}

/**
 * Parts of the store whose rows no position needs any more. Earlier records name them, and a journal may lose its end:
 * they are removed when the journal is replaced.
 */
interface GarbageParts {
  /** Collects the parts that the position no longer needs after the record. Returns the bytes that they take. */
  note(record: StateRecord): number;
  /** Takes the garbage so far; the result removes it. */
  take(): () => Promise<void>;
}

/** Starts empty: `restorePosition` has removed older garbage. */
function createGarbageParts(store: Pick<OpenStore, 'removePart'>, position: Pick<Position, 'rows'>): GarbageParts {
  let needed = sizesOf(position);
  let garbage: string[] = [];
  return {
    note(record) {
      if (needed.size === 0 && !(record.type === 'page' && record.rows !== undefined)) return 0;
      const now = sizesOf(position);
      const left = [...needed].filter(([name]) => !now.has(name));
      garbage.push(...left.map(([name]) => name));
      needed = now;
      return left.reduce((sum, [, bytes]) => sum + bytes, 0);
    },
    take() {
      const names = garbage;
      garbage = [];
      return async () => {
        for (const name of names) await store.removePart(name);
      };
    },
  };
}

/** A file takes a block of the disk at least. */
const blockBytes = 4096;

/** The parts with rows that a walk still needs, and the bytes of each. */
const sizesOf = (position: Pick<Position, 'rows'>): ReadonlyMap<string, number> =>
  new Map(
    position.rows().map(
      ({ part, lengths }) =>
        [
          part,
          Math.max(
            blockBytes,
            lengths.reduce((sum, bytes) => sum + bytes, 0),
          ),
        ] as const,
    ),
  );

/** Schedules `work` once, however often `ask` is called before it runs. */
function createOnce(soon: Soon, work: () => void) {
  let cancel: (() => void) | undefined;
  const done = () => {
    cancel = undefined;
    work();
  };
  return {
    ask() {
      cancel ??= soon(done);
    },
    cancel: () => cancel?.(),
  };
}

/** Measures how much the journal has grown since the last snapshot, in bytes. */
function createGrowth(leastBytes: number) {
  let bytes = 0;
  let most = leastBytes;
  return {
    isTooMuch: () => bytes > most,
    add(more: number) {
      bytes += more;
    },
    restart(shortest: string) {
      bytes = 0;
      most = Math.max(leastBytes, 2 * Buffer.byteLength(shortest));
    },
  };
}

function inASecond(work: () => void): () => void {
  const timer = setTimeout(work, 1000);
  timer.unref();
  return () => clearTimeout(timer);
}
