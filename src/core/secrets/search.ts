/** Finds secrets in a text by all its readings, escapes and base64 within one another included. */
import { decodeBase64 } from './base64.js';
import { isStarter } from './escapes.js';
import type { Readings } from './graph.js';
import type { Matcher } from './matcher.js';
import { readingsOf } from './readings.js';
import { shortest } from './value-set.js';

/** Places between characters. */
export type Span = readonly [start: number, end: number];

/** So many encodings within one another are undone. */
const mostLevels = 3;

/**
 * Finds every secret of the text, in order, overlapping and touching ones joined. Within percent-encoded bytes in a row
 * and within base64 the whole stretch is found. `cut`: the text may end within a secret, of which at least 4 bytes
 * count.
 */
export function findSecrets(text: string, matchers: readonly Matcher[], end: 'whole' | 'cut'): readonly Span[] {
  if (matchers.length === 0 || text.length < shortest) return [];
  const bytes = Buffer.from(text);
  const found = find(bytes, { matchers, levels: mostLevels, ends: end === 'cut' ? [bytes.length] : [] });
  return found.length === 0 ? [] : joined(wholeRuns(text, inCharacters(joined(found), bytes)));
}

interface Searching {
  readonly matchers: readonly Matcher[];
  readonly levels: number;
  /** Where the bytes end in the midst of what they say. */
  readonly ends: readonly number[];
}

function find(bytes: Uint8Array, { matchers, levels, ends }: Searching): readonly Span[] {
  const readings = readingsOf(bytes, levels);
  const cuts = cutsIn(bytes, ends);
  const search = { readings, cuts, stops: stopsIn(readings, cuts) };
  const spans = matchers.flatMap((matcher) => spansOf(search, matcher));
  if (levels === 0) return spans;
  const { bytes: inner, ends: innerEnds, sourceOf } = decodeBase64(readings, (at) => cuts.has(at));
  if (inner.length === 0) return spans;
  const within = find(inner, { matchers, levels: levels - 1, ends: innerEnds });
  return [...spans, ...within.map(([start]) => sourceOf(start))];
}

/** The most bytes of an escape that is cut off, however its characters are written. */
const longestTail = 1024;

/** Where something that was cut off may end before its escape began, and the end that it has. */
function cutsIn(bytes: Uint8Array, ends: readonly number[]): ReadonlyMap<number, number> {
  const cuts = new Map(ends.map((end) => [end, end] as const));
  for (const end of ends) {
    for (let at = end - 1; at >= Math.max(0, end - longestTail) && isOfEscape(bytes[at] ?? 0); at -= 1) {
      if (isStarter(bytes[at] ?? 0)) cuts.set(at, end);
    }
  }
  return cuts;
}

const ofEscapes: ReadonlySet<number> = new Set(
  Buffer.from('%&\\#;0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'),
);
const isOfEscape = (byte: number): boolean => byte >= 0x80 || ofEscapes.has(byte);

interface Search {
  readonly readings: Readings;
  readonly cuts: ReadonlyMap<number, number>;
  /** Not 0: there is more to do at a place than to read its byte, and what (bits of `stop`). */
  readonly stops: Uint8Array;
}

function stopsIn({ bytes, firstAt }: Readings, cuts: ReadonlyMap<number, number>): Uint8Array {
  const stops = new Uint8Array(bytes.length + 1);
  stops[bytes.length] = stop.last;
  for (let at = 0; at < bytes.length; at += 1) if (firstAt(at) !== -1) stops[at] = stop.escape;
  for (const at of cuts.keys()) stops[at] = (stops[at] ?? 0) | stop.cut;
  return stops;
}

const stop = { last: 1, escape: 2, cut: 4, arrival: 8 } as const;

/**
 * A way to a place: what a matcher has read on it, and its last escape. One with nothing read is as good as any other.
 */
interface Way {
  state: number;
  last: Passed | undefined;
}

/** An escape on the way, and the one before it. */
interface Passed {
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly before: Passed | undefined;
  /** So many bytes have been followed back from its end already. */
  followed: number;
}

interface Walk extends Search {
  readonly matcher: Matcher;
  readonly spans: Span[];
  /** Ways that come to a place by an escape, with something read. */
  readonly arriving: Map<number, Way[]>;
}

/** Walks all ways through the readings at once. */
function spansOf(search: Search, matcher: Matcher): readonly Span[] {
  const { readings, cuts } = search;
  const stops = search.stops.slice();
  const walk: Walk = { ...search, stops, matcher, spans: [], arriving: new Map() };
  const { length } = readings.bytes;
  let ways: Way[] = [{ state: 0, last: undefined }];
  for (let at = 0; ; ) {
    const what = stops[at] ?? 0;
    if ((what & stop.arrival) !== 0) {
      ways = distinct([...(walk.arriving.get(at) ?? []), ...ways], matcher);
      walk.arriving.delete(at);
    }
    if ((what & stop.cut) !== 0) for (const way of ways) addBeginning(walk, way, at, cuts.get(at) ?? at);
    if ((what & stop.escape) !== 0) passAll(walk, ways, at);
    if (at === length) return walk.spans;
    let next = at + 1;
    while (stops[next] === 0) next += 1;
    for (const way of ways) readPlain(walk, way, at, next);
    at = next;
  }
}

function passAll(walk: Walk, ways: readonly Way[], at: number): void {
  const { firstAt, nextOf } = walk.readings;
  for (let each = firstAt(at); each !== -1; each = nextOf(each)) {
    for (const way of ways) pass(walk, way, at, each);
  }
}

/**
 * More ways to one place than this come of a text that was made for it: those that have read the most of a secret are
 * kept.
 */
const mostWays = 16;

/**
 * Ways on which the same has been read are one, of which the first stays; one on which nothing has been read is none
 * beside others.
 */
function distinct(ways: readonly Way[], { depthOf }: Matcher): Way[] {
  const found: Way[] = [];
  for (const way of ways) if (way.state !== 0 && !found.some(({ state }) => state === way.state)) found.push(way);
  if (found.length === 0) return ways.slice(0, 1);
  if (found.length <= mostWays) return found;
  return found.toSorted((a, b) => depthOf(b.state) - depthOf(a.state)).slice(0, mostWays);
}

/** Reads bytes as they stand, up to the next place where there is more to do. */
function readPlain({ readings: { bytes }, matcher, spans }: Walk, way: Way, from: number, to: number): void {
  let { state } = way;
  for (let at = from; at < to; at += 1) {
    state = matcher.step(state, bytes[at] ?? 0);
    const length = matcher.endsAt(state);
    if (length > 0) add(spans, startOf(way.last, at + 1, length), at + 1);
  }
  way.state = state;
  if (state === 0) way.last = undefined;
}

/** Reads an escape instead. A secret that begins or ends within what it stands for has the whole escape. */
function pass({ readings, matcher, spans, arriving, stops }: Walk, way: Way, from: number, one: number): void {
  const [to, bytes] = [readings.toOf(one), readings.bytesOf(one)];
  let { state } = way;
  for (let index = 0; index < bytes.length; index += 1) {
    state = matcher.step(state, bytes[index] ?? 0);
    const found = matcher.endsAt(state);
    if (found > 0) add(spans, found <= index + 1 ? from : startOf(way.last, from, found - index - 1), to);
  }
  if (state === 0) return; // as good as the bytes themselves
  const last = { from, to, length: bytes.length, before: way.last, followed: 0 };
  const come = arriving.get(to);
  if (come === undefined) arriving.set(to, [{ state, last }]);
  else come.push({ state, last });
  stops[to] = (stops[to] ?? 0) | stop.arrival;
}

/** What is cut off counts from its fourth byte on. */
function addBeginning({ spans, matcher }: Walk, way: Way, at: number, end: number): void {
  const length = matcher.depthOf(way.state);
  if (length >= shortest) add(spans, startOf(way.last, at, length), end);
}

/**
 * Where so many bytes began that end at a place. What was followed back before is a span already: its rest need not be
 * found again.
 */
function startOf(last: Passed | undefined, end: number, length: number): number {
  let [left, at] = [length, end];
  for (let passed = last; passed !== undefined && at - passed.to < left; passed = passed.before) {
    left -= at - passed.to;
    at = passed.from;
    if (passed.followed >= left || left <= passed.length) return at;
    passed.followed = left;
    left -= passed.length;
  }
  return at - left;
}

/** The last span grows where it can: there may be one for each byte. */
function add(spans: Span[], start: number, end: number): void {
  const [lastStart, lastEnd] = spans.at(-1) ?? [0, -1];
  if (start >= lastStart && start <= lastEnd) spans[spans.length - 1] = [lastStart, Math.max(lastEnd, end)];
  else spans.push([start, end]);
}

/** In order, overlapping and touching ones as one. */
function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) add(all, start, end);
  return all;
}

/** Spans of UTF-8 as spans of the text; they are in order. */
function inCharacters(spans: readonly Span[], bytes: Uint8Array): readonly Span[] {
  let [at, characters] = [0, 0];
  const countTo = (place: number): number => {
    for (; at < place; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte < 0x80 || byte >= 0xc0) characters += byte >= 0xf0 ? 2 : 1;
    }
    return characters;
  };
  return spans.map(([start, end]) => [countTo(start), countTo(end)]);
}

/** With all percent-encoded bytes in a row that a span has one of. Spans are in order, and may overlap afterwards. */
function wholeRuns(text: string, spans: readonly Span[]): readonly Span[] {
  const runs = [...text.matchAll(/(?:%[\da-f]{2})+/gi)].map(({ index, 0: run }): Span => [index, index + run.length]);
  let next = 0;
  return spans.map(([start, end]) => {
    while ((runs[next]?.[1] ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    let last = next;
    while ((runs[last]?.[0] ?? Number.POSITIVE_INFINITY) < end) last += 1;
    if (last === next) return [start, end];
    return [Math.min(start, runs[next]?.[0] ?? start), Math.max(end, runs[last - 1]?.[1] ?? end)];
  });
}
