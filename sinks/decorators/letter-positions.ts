/**
 * Where dead letters in a file end. A sink with transactions stores it with its own position, because after a crash it
 * may have a page that the journal lacks: docs/decisions/029-dead-letters.md.
 */
import { type Exact, ExactNumber, isArray, stringifyExact } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import type { Earlier, PageEnd, Sink } from '../contract.js';

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
  /** The same for the letter of a request: it is there if its page is not after the last one with letters. */
  hasPassed(page: PageEnd): boolean;
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
    hasPassed: (page) => isNotAfter(placeOf(page), resumed.get(page.dataType)),
  };
}

const placeOf = ({ walk, page }: PageEnd): string => `${walk} ${page}`;

/**
 * Whether a page of the same lane is the other one, or is read before it. A walk is named for its place below that
 * page: the children of a page follow it, and its next page follows them.
 */
function isNotAfter(place: string, other: string | undefined): boolean {
  if (other === undefined) return false;
  const [[lane, ...own], [otherLane, ...others]] = [numbersIn(place), numbersIn(other)];
  if (lane !== otherLane) return false;
  for (const [index, number] of own.entries()) {
    const last = others[index];
    if (last === undefined || number > last) return false;
    if (number < last) return true;
  }
  return true;
}

const numbersIn = (place: string): readonly number[] => place.split(/[/. ]/).map(Number);

/** Where the letters of requests in a sink with transactions end. Their pages do not count in its position. */
export interface RequestPlaces {
  /** Begins where the sink ends. `stored`: what it holds of each lane; undefined: the run is new. */
  resume(earlier: Earlier, stored: ReadonlyMap<string, string> | undefined): void;
  /** Whether the letter of the page was there when the run was resumed. */
  hasPassed(page: PageEnd): boolean;
  /** The end of a page with a letter of its request: what the sink holds stays, with the place of the letter. */
  add(page: PageEnd): PageEnd;
  /** The end of any other page, with the place of the last such letter of its lane. */
  addTo(page: PageEnd): PageEnd;
  /** Records what the sink holds, by lane. */
  hold(keeps: ReadonlyMap<string, string>): void;
}

/** Starts empty. */
export function createRequestPlaces(): RequestPlaces {
  const keeps = new Map<string, string>();
  const places = new Map<string, string>();
  const resumed = new Map<string, string>();
  let isStored = false;
  const withPlace = (page: PageEnd, keep: string): PageEnd => {
    const place = places.get(page.lane);
    return { ...page, keep: place === undefined ? keep : `${keep}\n${JSON.stringify(place)}` };
  };
  return {
    resume(earlier, stored = new Map()) {
      isStored = earlier.isStored;
      for (const [lane, text] of stored) {
        const [keep = '', place] = text.split('\n');
        keeps.set(lane, keep);
        if (place === undefined) continue;
        places.set(lane, JSON.parse(place)); // written by `withPlace`
        resumed.set(lane, JSON.parse(place));
      }
    },
    hasPassed: (page) => isNotAfter(placeOf(page), resumed.get(page.lane)),
    add(page) {
      if (!isStored) return page;
      places.set(page.lane, placeOf(page));
      return withPlace(page, keeps.get(page.lane) ?? '');
    },
    addTo: (page) => (page.keep === undefined ? page : withPlace(page, page.keep)),
    hold(held) {
      for (const [lane, keep] of held) keeps.set(lane, keep);
    },
  };
}

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
  const keeps = [...all].map(([lane, text]) => [lane, withoutPositions(text)] as const);
  return new Map(keeps.filter(([, keep]) => keep !== '')); // a lane may have a letter of a request before any page
}
