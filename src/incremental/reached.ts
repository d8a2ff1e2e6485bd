/** What walks have reached: the highest value, and digests of the items that the next run will see again. */
import type { ExactNumber } from '../core/json/exact.js';
import { stringifyExact } from '../core/json/exact.js';
import { parseExact } from '../core/json/exact-parse.js';
import { compareValues, type OrderedValue, orderedValue, type ValueOrder } from './ordered-value.js';

/** Items that have one value: the value as JSON text, and their digests, 16 characters each. */
export type RecentItems = readonly [value: string, digests: string];

/** Plain data, for the journal. */
export interface Reached {
  /** The highest value so far, or the last one of a response, as JSON text; absent: there was none. */
  readonly value?: string;
  /** How values are put in order; absent: they are not, as those of a response. */
  readonly order?: ValueOrder;
  /** The lowest value that the next run asks for, as JSON text: items from here on are recent. */
  readonly from?: string;
  /** Items that may come again. Some may be below `from`. */
  readonly recent: readonly RecentItems[];
  /** Items that were recognised and left out. */
  readonly known: number;
  /** New items below the value of the run before, and the lowest value of them as JSON text. */
  readonly late: number;
  readonly latest?: string;
  /** Items that were left out because they are beyond the end of the run. */
  readonly beyond: number;
}

export const digestLength = 16;

/** Most items that are recognised in the next run; of more, those with the highest values. */
export const mostRecent = 50_000;

const none: Reached = { recent: [], known: 0, late: 0, beyond: 0 };

/** Adds what a page has reached. */
export function joinReached(before: Reached = none, page: Reached): Reached {
  const latest = lowest(before, page);
  const joined: Reached = {
    ...before,
    ...(isHigher(page, before) ? valuesOf(page) : {}),
    ...(latest === undefined ? {} : { latest }),
    recent: [...before.recent, ...page.recent],
    known: before.known + page.known,
    late: before.late + page.late,
    beyond: before.beyond + page.beyond,
  };
  return countOf(joined.recent) > 2 * mostRecent ? { ...joined, recent: recentOf(joined).recent } : joined;
}

/** Whether the value of a page replaces the one before it: the higher one of an order, else the last one. */
function isHigher(page: Reached, before: Reached): boolean {
  if (page.value === undefined || before.value === undefined) return page.value !== undefined;
  const [now, then] = [storedValue(page.value, page.order), storedValue(before.value, before.order)];
  if (page.order === undefined || now === undefined || then === undefined) return true;
  return compareValues(now, then) >= 0;
}

/** The members of a page that replace those before it. */
function valuesOf({ value, order, from }: Reached): Partial<Reached> {
  return {
    ...(value === undefined ? {} : { value }),
    ...(order === undefined ? {} : { order }),
    ...(from === undefined ? {} : { from }),
  };
}

function lowest({ latest: a }: Reached, { latest: b, order }: Reached): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const [first, second] = [storedValue(a, order), storedValue(b, order)];
  return first !== undefined && second !== undefined && compareValues(second, first) < 0 ? b : a;
}

/** A value that `storedText` wrote. */
export const storedValue = (text: string, order: ValueOrder | undefined): OrderedValue | undefined =>
  orderedValue(parseExact(text), order);

export const storedText = (value: string | ExactNumber): string => stringifyExact(value);

const countOf = (recent: readonly RecentItems[]): number =>
  recent.reduce((sum, [, digests]) => sum + digests.length / digestLength, 0);

/** The recent items in the order of their values, each value once; of too many, those with the highest values. */
export function recentOf({ recent, from, order }: Pick<Reached, 'recent' | 'from' | 'order'>): {
  readonly recent: readonly RecentItems[];
  /** How many were dropped although the next run may see them again. */
  readonly dropped: number;
} {
  const least = from === undefined ? undefined : storedValue(from, order);
  const byValue = new Map<string, string>();
  for (const [value, digests] of recent) byValue.set(value, `${byValue.get(value) ?? ''}${digests}`);
  const ranked = [...byValue].flatMap(([text, digests]) => {
    const value = storedValue(text, order);
    const isOld = value !== undefined && least !== undefined && compareValues(value, least) < 0;
    return value === undefined || isOld ? [] : [{ text, digests, value }];
  });
  ranked.sort((a, b) => compareValues(b.value, a.value));
  let room = mostRecent;
  let dropped = 0;
  const kept: RecentItems[] = [];
  for (const { text, digests } of ranked) {
    const part = digests.slice(0, room * digestLength);
    room -= part.length / digestLength;
    dropped += (digests.length - part.length) / digestLength;
    if (part !== '') kept.push([text, part]);
  }
  return { recent: kept, dropped };
}

/** The single digests of recent items. */
export function* digestsIn(recent: readonly RecentItems[]): Iterable<string> {
  for (const [, digests] of recent) {
    for (let at = 0; at < digests.length; at += digestLength) yield digests.slice(at, at + digestLength);
  }
}
