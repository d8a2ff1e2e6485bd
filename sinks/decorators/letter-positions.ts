/**
 * Where dead letters in a file end. A sink with transactions stores it with its own position, because after a crash it
 * may have a page that the journal lacks: docs/decisions/029-dead-letters.md.
 */
import { type Exact, ExactNumber, isArray, stringifyExact } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import type { PageEnd, Sink } from '../contract.js';

/** The end of the letters of a data type. */
interface LetterPosition {
  /** Commits of letters so far: of two positions the higher number is the later one. */
  readonly number: number;
  /** The checkpoint of their sink, as JSON text. */
  readonly checkpoint: string;
  /** The last page with letters. */
  readonly page: string;
}

/** The positions of a run, by data type. */
export interface LetterPositions {
  /** Records what a commit of letters has returned. Returns the checkpoint for the journal. */
  commit(page: PageEnd, checkpoint: Exact): Exact;
  /** Adds the positions to the `keep` of a page: that of its data type, and others that fit. */
  addTo(keep: string, dataType: string): string;
  /**
   * The checkpoints to resume at: those of the journal, or later ones that sinks with transactions hold.
   * `positionTexts`: what they hold, with the positions.
   */
  resume(journal: ReadonlyMap<string, Exact>, positionTexts: readonly string[]): ReadonlyMap<string, Exact>;
  /** Whether letters of the page were there when the run was resumed. */
  has(page: PageEnd): boolean;
}

/** Room for the positions in a `keep`, in bytes. */
export const positionBytes = 1000;

export function createLetterPositions(): LetterPositions {
  const positions = new Map<string, LetterPosition>();
  const resumed = new Map<string, string>();
  return {
    commit(page, checkpoint) {
      const { dataType } = page;
      const number = (positions.get(dataType)?.number ?? 0) + 1;
      positions.set(dataType, { number, checkpoint: stringifyExact(checkpoint), page: placeOf(page) });
      return [new ExactNumber(String(number)), checkpoint];
    },
    addTo(keep, dataType) {
      if (positions.size === 0) return keep;
      const own = [...positions].filter(([name]) => name === dataType);
      const others = [...positions].filter(([name]) => name !== dataType);
      const all = [...own, ...others];
      while (all.length > 1 && Buffer.byteLength(JSON.stringify(all)) > positionBytes) all.pop();
      return `${keep}\n${JSON.stringify(all)}`;
    },
    resume(journal, positionTexts) {
      positions.clear();
      resumed.clear();
      for (const [dataType, stored] of journal) {
        const [number, checkpoint = null] = isArray(stored) ? stored : [];
        const text = stringifyExact(checkpoint);
        positions.set(dataType, { number: Number(String(number)), checkpoint: text, page: '' });
      }
      for (const [dataType, position] of positionTexts.flatMap(positionsIn)) {
        if (position.number <= (positions.get(dataType)?.number ?? 0)) continue;
        positions.set(dataType, position);
        resumed.set(dataType, position.page);
      }
      return new Map([...positions].map(([dataType, { checkpoint }]) => [dataType, parseExact(checkpoint)]));
    },
    has: (page) => resumed.get(page.dataType) === placeOf(page),
  };
}

const placeOf = ({ walk, page }: PageEnd): string => `${walk} ${page}`;

/** A `keep` of the engine is one line; the positions are the second. */
function positionsIn(text: string): readonly (readonly [string, LetterPosition])[] {
  const at = text.indexOf('\n');
  return at < 0 ? [] : JSON.parse(text.slice(at + 1)); // written by `addTo`
}

/** The `keep` of the engine, without positions. */
const withoutPositions = (text: string): string => text.replace(/\n.*$/s, '');

/** What the sink holds, with the positions of letters. */
export async function positionTextsIn(sink: Sink): Promise<readonly string[]> {
  return sink.recovery === 'transaction' ? [...((await sink.positions?.()) ?? new Map<string, string>()).values()] : [];
}

/** What the sink holds, for the engine. */
export async function storedKeeps(sink: Sink): Promise<ReadonlyMap<string, string>> {
  const all = (await sink.positions?.()) ?? new Map<string, string>();
  return new Map([...all].map(([lane, text]) => [lane, withoutPositions(text)]));
}
