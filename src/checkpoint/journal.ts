import type { Sink } from '../../sinks/contract.js';
import type { Position } from './position.js';
import { type StateRecord, textOf } from './records.js';
import { createSpentParts, type SpentParts } from './spent-parts.js';
import type { OpenStore } from './store.js';

export interface Journal {
  /**
   * The position takes the record, and it is written unless it is held back; then all is written anew as soon as it may
   * be. One call at a time.
   */
  write(record: StateRecord): Promise<void>;
  /**
   * Settles when all that is written, and this behind it, outlives the machine; at once where something is held back.
   */
  save(record?: StateRecord): Promise<void>;
  /** Settles when nothing is being saved any more. */
  close(): Promise<void>;
}

/** Calls once, in about a second, unless it is cancelled. */
export type Soon = (work: () => void) => () => void;

export interface JournalNeeds {
  readonly store: OpenStore;
  /** That of the records in the store. */
  readonly position: Position;
  /** What it has taken is brought to the disk before the records that tell of it. */
  readonly sink: Pick<Sink, 'durable'>;
  readonly isHeldBack: () => boolean;
  readonly soon: Soon;
  /** It may grow to so many bytes, or twice its shortest form. */
  readonly leastBytes: number;
  /** Hears when a save fails that nobody waits for. */
  readonly onFault: (thrown: unknown) => void;
}

/** Goes on behind the records in the store. All calls throw what the store throws. */
export function createJournal(needs: JournalNeeds): Journal {
  const { store, position, isHeldBack, soon, leastBytes, onFault } = needs;
  const parts = createSpentParts(store, position);
  const growth = createGrowth(leastBytes);
  let isBehind = false;
  let saving: Promise<void> = Promise.resolve();

  const saveNow = async (record?: StateRecord) => {
    if (isHeldBack() || isBehind) return;
    const saved: StateRecord = { is: 'saved', count: position.count };
    const records = record === undefined ? [saved] : [saved, record];
    await behindData(needs.sink, parts, () => store.sync(records.map(textOf)));
  };
  const save = (record?: StateRecord) => {
    saving = saving.catch(() => {}).then(() => saveNow(record));
    return saving;
  };
  const saveSoon = createOnce(soon, () => void save().catch(onFault));
  const append = async (text: string) => {
    growth.add(text);
    await store.append([text]);
    saveSoon.ask();
  };
  const writeAnew = async () => {
    await saving.catch(() => {});
    await behindData(needs.sink, parts, async () => {
      const shortest = [position.begin, position.snapshot()].map(textOf);
      await store.replace(shortest);
      isBehind = false;
      growth.restart(shortest.join(''));
    });
  };

  return {
    async write(record) {
      position.apply(record);
      parts.note();
      if (isHeldBack()) isBehind = true;
      else if (isBehind || growth.isTooMuch()) await writeAnew();
      else await append(textOf(record));
    },
    save,
    async close() {
      saveSoon.cancel();
      await saving.catch(() => {});
    },
  };
}

/** Data, then what tells of it, and only then is removed what neither needs any more. */
async function behindData(sink: Pick<Sink, 'durable'>, parts: SpentParts, writing: () => Promise<void>): Promise<void> {
  const removeSpent = parts.take();
  await sink.durable?.();
  await writing();
  await removeSpent();
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
