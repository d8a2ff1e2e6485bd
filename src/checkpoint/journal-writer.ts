/** The bytes of a journal: when a record is written, when all of it is brought to the disk, when it is written anew. */
import type { Sink } from '../../sinks/contract.js';
import { createTurns } from '../../sinks/serialize.js';
import { settleAll } from '../../sinks/settle.js';
import { createHeldWalks } from './held-walks.js';
import { type Position, partsOf } from './position.js';
import { type PageDraft, type StateRecord, textOf } from './records.js';
import type { OpenStore } from './store/store.js';

export interface JournalWriter {
  /**
   * The position takes the record, and it is written unless it is held back; then all is written anew as soon as that
   * is possible. In the order of calls. Rejects if it cannot be written, and all that follow it do so too.
   */
  append(record: StateRecord): Promise<void>;
  /** Whether the next request of a walk above the one of the page, or its rows, cannot be written. */
  isBelowHeld(page: PageDraft): boolean;
  /** Settles when all before was appended; rejects if some of it was not. */
  settled(): Promise<void>;
  /**
   * Settles when all that is written, and this after it, survives a power cut; at once while something is held back.
   */
  save(record?: StateRecord): Promise<void>;
  /** Settles when nothing is being saved any more. */
  close(): Promise<void>;
}

/** Calls once, in about a second, unless it is cancelled. */
export type Soon = (work: () => void) => () => void;

export interface JournalWriterOptions {
  readonly store: OpenStore;
  /** That of the records in the store. */
  readonly position: Position;
  /** What they have is brought to the disk before the records of it. */
  readonly sinks: readonly Pick<Sink, 'durable'>[];
  /** Called once for each job whose next request cannot be written. */
  readonly onHeld: (job: number) => void;
  /** Called when a save fails that nothing waits for. */
  readonly onFault: (thrown: unknown) => void;
  readonly soon?: Soon;
  /** The journal may grow to so many bytes, or twice its shortest form, before it is written anew; absent: 4 MiB. */
  readonly journalBytes?: number;
}

const mostJournalBytes = 4 * 1024 * 1024;

/** Continues after the records in the store. All calls throw what the store throws. */
export const createJournalWriter = (options: JournalWriterOptions): JournalWriter => new StoredJournal(options);

class StoredJournal implements JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #inTurn = createTurns();
  readonly #held = createHeldWalks();
  readonly #parts: GarbageParts;
  readonly #growth: ReturnType<typeof createGrowth>;
  readonly #saveSoon: ReturnType<typeof createOnce>;
  /** The position has taken records that are not written. */
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

  append(record: StateRecord): Promise<void> {
    return this.#inTurn(() => this.#append(record));
  }

  isBelowHeld(page: PageDraft): boolean {
    return this.#held.isAbove(page);
  }

  settled(): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#broken !== undefined) throw this.#broken.thrown;
    });
  }

  save(record?: StateRecord): Promise<void> {
    this.#saving = this.#saving.catch(() => {}).then(() => this.#saveNow(record));
    return this.#saving;
  }

  async close(): Promise<void> {
    this.#saveSoon.cancel();
    await this.#inTurn(async () => {});
    await this.#saving.catch(() => {});
  }

  async #append(record: StateRecord): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken.thrown;
    try {
      await this.#write(record);
    } catch (thrown) {
      this.#broken = { thrown };
      throw thrown;
    }
  }

  async #write(record: StateRecord): Promise<void> {
    const { store, position, onHeld } = this.#options;
    position.apply(record);
    this.#parts.note(record);
    if (this.#held.take(record)) onHeld(record.type === 'page' ? record.took.job : 0);
    if (this.#held.isAny()) {
      this.#isBehind = true;
      return;
    }
    if (this.#isBehind || this.#growth.isTooMuch()) return this.#writeAnew();
    const text = textOf(record);
    this.#growth.add(text);
    await store.append([text]);
    this.#saveSoon.ask();
  }

  async #writeAnew(): Promise<void> {
    const { store, position } = this.#options;
    await this.#saving.catch(() => {});
    await afterData(this.#options, this.#parts, async () => {
      const shortest = [position.begin, position.snapshot()].map(textOf);
      await store.replace(shortest);
      this.#isBehind = false;
      this.#growth.restart(shortest.join(''));
    });
  }

  async #saveNow(record?: StateRecord): Promise<void> {
    if (this.#held.isAny() || this.#isBehind || this.#broken !== undefined) return;
    const { store, position } = this.#options;
    const synced: StateRecord = { type: 'sync', count: position.count };
    const records = record === undefined ? [synced] : [synced, record];
    await afterData(this.#options, this.#parts, () => store.sync(records.map(textOf)));
  }
}

/** The data, then the records of it, and only then is removed what neither needs any more. */
async function afterData(
  { sinks }: Pick<JournalWriterOptions, 'sinks'>,
  parts: GarbageParts,
  writing: () => Promise<void>,
): Promise<void> {
  const removeGarbage = parts.take();
  await settleAll(sinks.map(async (sink) => sink.durable?.()));
  await writing();
  await removeGarbage();
}

/** Parts of the store whose rows are no longer needed: they go when what is written after them is on the disk. */
interface GarbageParts {
  /** The position has moved. */
  note(record: StateRecord): void;
  /** Those that are garbage by now; what it returns removes them. */
  take(): () => Promise<void>;
}

/** Starts with none: what the position does not need now was removed before. */
function createGarbageParts(store: Pick<OpenStore, 'removePart'>, position: Pick<Position, 'rows'>): GarbageParts {
  let needed = partsOf(position);
  let garbage: string[] = [];
  return {
    note(record) {
      if (needed.size === 0 && !(record.type === 'page' && record.rows !== undefined)) return;
      const now = partsOf(position);
      garbage.push(...[...needed].filter((name) => !now.has(name)));
      needed = now;
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

/** Work that is done once, soon, however often it is asked for until then. */
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

/** How much a journal has grown since it was written anew. */
function createGrowth(leastBytes: number) {
  let bytes = 0;
  let most = leastBytes;
  return {
    isTooMuch: () => bytes > most,
    add(text: string) {
      bytes += text.length;
    },
    restart(shortest: string) {
      bytes = 0;
      most = Math.max(leastBytes, 2 * shortest.length);
    },
  };
}

function inASecond(work: () => void): () => void {
  const timer = setTimeout(work, 1000);
  timer.unref();
  return () => clearTimeout(timer);
}
