/**
 * The line in which pages wait to be written down: in the order in which they reached the sink, each as soon as it has
 * landed and is known.
 */
import type { OutputPosition, PageRecord, StateRecord } from './records.js';

/** A page record without what its sinks say. */
export type PageNews = Omit<PageRecord, 'outputs'>;

/** One page, from its beginning on. */
export interface Entry {
  /** Says what it was. Once. */
  fill(news: News): void;
  /** Settles when it is written, or never will be; undefined: the page has not reached the sink yet. Never rejects. */
  written(): Promise<void> | undefined;
}

type News = PageNews | Exclude<StateRecord, PageRecord>;

interface Begun {
  readonly entry: Entry;
  readonly known: Promise<News>;
  readonly giveUp: () => void;
  /** Makes the promise of `written`; returns what settles it. */
  readonly enter: () => () => void;
}

interface Waiting extends Begun {
  readonly outputs: readonly OutputPosition[];
  readonly settle: () => void;
}

export interface Entries {
  begin(): Entry;
  /** The page has reached the sink, behind all that were added before. */
  add(entry: Entry, outputs: readonly OutputPosition[]): void;
  /** Settles when all that were added are written; rejects with what kept one of them from it. */
  settled(): Promise<void>;
  /**
   * Those that are not known will not be; what stands behind them is dropped. Settles when the rest is written. Never
   * rejects.
   */
  giveUp(): Promise<void>;
}

class GivenUp extends Error {}

/**
 * `write` is called for one after the other. `onFault` gets why it failed; nothing is
 * written from then on.
 */
export function createEntries(
  write: (record: StateRecord) => Promise<void>,
  onFault: (thrown: unknown) => void,
): Entries {
  const begun = new Map<Entry, Begun>();
  const line: Waiting[] = [];
  let pumping: Promise<void> | undefined;
  let broken: { readonly thrown: unknown } | undefined;

  const writeNext = async (next: Waiting) => {
    const record = await recordOf(next);
    try {
      await write(record);
    } catch (thrown) {
      onFault(thrown);
      throw thrown;
    }
  };
  const pump = async () => {
    try {
      for (let next = line[0]; next !== undefined && broken === undefined; next = line[0]) {
        await writeNext(next);
        line.shift()?.settle();
      }
    } catch (thrown) {
      broken ??= { thrown };
    } finally {
      pumping = undefined;
      if (broken !== undefined) for (const { settle } of line.splice(0)) settle();
    }
  };

  return {
    begin() {
      const each = beginEntry();
      begun.set(each.entry, each);
      return each.entry;
    },
    add(entry, outputs) {
      const waiting = begun.get(entry);
      begun.delete(entry);
      if (waiting === undefined || broken !== undefined) return;
      line.push({ ...waiting, outputs, settle: waiting.enter() });
      pumping ??= pump();
    },
    async settled() {
      await pumping;
      if (broken !== undefined) throw broken.thrown;
    },
    async giveUp() {
      for (const { giveUp } of line) giveUp();
      await pumping;
      broken ??= { thrown: new GivenUp('the books are closed') };
    },
  };
}

/** Settles when it is known what the page was. */
async function recordOf({ known, outputs }: Waiting): Promise<StateRecord> {
  const news = await known;
  return news.is === 'page' && outputs.length > 0 ? { ...news, outputs } : news;
}

/** Nothing is known of the page, and it has not reached the sink. */
function beginEntry(): Begun {
  let fill: Entry['fill'] = () => {};
  let giveUp = () => {};
  let written: Promise<void> | undefined;
  const known = new Promise<News>((resolve, reject) => {
    fill = resolve;
    giveUp = () => reject(new GivenUp('it is not known what the page was'));
  });
  known.catch(() => {});
  const enter = () => {
    let settle = () => {};
    written = new Promise<void>((resolve) => {
      settle = resolve;
    });
    return settle;
  };
  return { entry: { fill, written: () => written }, known, giveUp, enter };
}
