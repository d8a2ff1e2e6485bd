/** Finds secrets in a text in all its readings, including nested escapes and base64. */
import { decodeBase64 } from './base64.js';
import { isStarter } from './escapes.js';
import type { Readings } from './graph.js';
import type { Matcher } from './matcher.js';
import { readingsOf } from './readings.js';
import { shortest } from './value-set.js';

/** Places between characters. */
export type Span = readonly [start: number, end: number];

/** How many nested encodings are decoded. */
const mostLevels = 3;

/**
 * Finds every secret in the text, in order, with overlapping and touching ones joined. If a secret is in a row of
 * percent-encoded bytes or in base64, the whole row is found. `cut`: the text may end within a secret, of which at
 * least 4 bytes count.
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
  /** Where the bytes were cut. */
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

/** Most bytes of a cut escape, however its characters are encoded. */
const longestTail = 1024;

/** Places where cut text may end, each with its end: the place before a cut escape counts too. */
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
  /** Not 0 where a place needs more than reading its byte (bits of `stop`). */
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

/** A path to a place: the state of the matcher, and its last escape. All paths with nothing read are equal. */
interface Way {
  state: number;
  last: Passed | undefined;
}

/** An escape on a path, and the one before it. */
interface Passed {
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly before: Passed | undefined;
  /** How many bytes were already followed back from its end. */
  followed: number;
}

interface Walk extends Search {
  readonly matcher: Matcher;
  readonly spans: Span[];
  /** Paths that reach a place by an escape, with something read. */
  readonly arriving: Map<number, Way[]>;
}

/** Follows all paths through the graph at once. */
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

/** Only a crafted text has more paths to one place: those that have read most of a secret are kept. */
const mostWays = 16;

/** Of paths in the same state the first is kept. A path with nothing read is dropped if there are others. */
function distinct(ways: readonly Way[], { depthOf }: Matcher): Way[] {
  const found: Way[] = [];
  for (const way of ways) if (way.state !== 0 && !found.some(({ state }) => state === way.state)) found.push(way);
  if (found.length === 0) return ways.slice(0, 1);
  if (found.length <= mostWays) return found;
  return found.toSorted((a, b) => depthOf(b.state) - depthOf(a.state)).slice(0, mostWays);
}

/** Reads plain bytes up to the next place that needs more. */
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

/** Reads an escape. A secret that begins or ends within its meaning covers the whole escape. */
function pass({ readings, matcher, spans, arriving, stops }: Walk, way: Way, from: number, one: number): void {
  const [to, bytes] = [readings.toOf(one), readings.bytesOf(one)];
  let { state } = way;
  for (let index = 0; index < bytes.length; index += 1) {
    state = matcher.step(state, bytes[index] ?? 0);
    const found = matcher.endsAt(state);
    if (found > 0) add(spans, found <= index + 1 ? from : startOf(way.last, from, found - index - 1), to);
  }
  if (state === 0) return; // equal to reading the bytes themselves
  const last = { from, to, length: bytes.length, before: way.last, followed: 0 };
  const come = arriving.get(to);
  if (come === undefined) arriving.set(to, [{ state, last }]);
  else come.push({ state, last });
  stops[to] = (stops[to] ?? 0) | stop.arrival;
}

/** A cut secret counts from its fourth byte on. */
function addBeginning({ spans, matcher }: Walk, way: Way, at: number, end: number): void {
  const length = matcher.depthOf(way.state);
  if (length >= shortest) add(spans, startOf(way.last, at, length), end);
}

/**
 * Returns where the last `length` bytes before `end` began. What was followed back earlier is a span already and is not
 * followed again.
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

/** Extends the last span if possible: there may be one for each byte. */
function add(spans: Span[], start: number, end: number): void {
  const [lastStart, lastEnd] = spans.at(-1) ?? [0, -1];
  if (start >= lastStart && start <= lastEnd) spans[spans.length - 1] = [lastStart, Math.max(lastEnd, end)];
  else spans.push([start, end]);
}

/** Sorts spans and joins overlapping and touching ones. */
function joined(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) add(all, start, end);
  return all;
}

/** Converts spans of UTF-8 bytes to spans of characters. They must be in order. */
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

/**
 * Extends spans to the whole row of percent-encoded bytes they touch. Spans are in order; they may overlap afterwards.
 */
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
