/** Finds secrets in a text in all its readings, including nested escapes and base64. */
import { decodeBase64 } from './base64.js';
import { findReadings, isStarter } from './escapes.js';
import type { Readings } from './graph.js';
import type { Matcher } from './matcher.js';
import { byteAt } from './number-tables.js';
import { addSpan, extendToRuns, joinSpans, type Span, toCharacters } from './spans.js';
import { shortest } from './value-set.js';

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
  const secrets = find(bytes, { matchers, levels: mostLevels, ends: end === 'cut' ? [bytes.length] : [] });
  return secrets.length === 0 ? [] : joinSpans(extendToRuns(text, toCharacters(joinSpans(secrets), bytes)));
}

interface SearchOptions {
  readonly matchers: readonly Matcher[];
  readonly levels: number;
  /** Where the bytes were cut. */
  readonly ends: readonly number[];
}

function find(bytes: Uint8Array, { matchers, levels, ends }: SearchOptions): readonly Span[] {
  const readings = findReadings(bytes, levels);
  const cuts = findCuts(bytes, ends);
  const search = { readings, cuts, stops: findStops(readings, cuts) };
  const spans = matchers.flatMap((matcher) => findSpans(search, matcher));
  if (levels === 0) return spans;
  const { bytes: inner, ends: innerEnds, sourceOf } = decodeBase64(readings, (at) => cuts.has(at));
  if (inner.length === 0) return spans;
  const within = find(inner, { matchers, levels: levels - 1, ends: innerEnds });
  return [...spans, ...within.map(([start]) => sourceOf(start))];
}

/** Most bytes of a cut escape, however its characters are encoded. */
const longestTail = 1024;

/** Places where cut text may end, each with its end: the place before a cut escape counts too. */
function findCuts(bytes: Uint8Array, ends: readonly number[]): ReadonlyMap<number, number> {
  const cuts = new Map(ends.map((end) => [end, end] as const));
  for (const end of ends) {
    for (let at = end - 1; at >= Math.max(0, end - longestTail) && isOfEscape(byteAt(bytes, at)); at -= 1) {
      if (isStarter(byteAt(bytes, at))) cuts.set(at, end);
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

function findStops({ bytes, firstAt }: Readings, cuts: ReadonlyMap<number, number>): Uint8Array {
  const stops = new Uint8Array(bytes.length + 1);
  stops[bytes.length] = stop.last;
  for (let at = 0; at < bytes.length; at += 1) if (firstAt(at) !== -1) stops[at] = stop.escape;
  for (const at of cuts.keys()) stops[at] = byteAt(stops, at) | stop.cut;
  return stops;
}

const stop = { last: 1, escape: 2, cut: 4, arrival: 8 } as const;

/** A path to a place: the state of the matcher, and its last escape. All paths with nothing read are equal. */
interface Path {
  state: number;
  last: EscapeStep | undefined;
}

/** An escape on a path, and the one before it. */
interface EscapeStep {
  readonly from: number;
  readonly to: number;
  readonly length: number;
  readonly before: EscapeStep | undefined;
  /** How many bytes were already followed back from its end. */
  followed: number;
}

interface PathSearch extends Search {
  readonly matcher: Matcher;
  readonly spans: Span[];
  /** Paths that reach a place by an escape, with something read. */
  readonly arriving: Map<number, Path[]>;
}

/** Follows all paths through the graph at once. */
function findSpans({ readings, cuts, stops: initialStops }: Search, matcher: Matcher): readonly Span[] {
  const stops = initialStops.slice();
  const search: PathSearch = { readings, cuts, stops, matcher, spans: [], arriving: new Map() };
  const { length } = readings.bytes;
  let paths: Path[] = [{ state: 0, last: undefined }];
  for (let at = 0; ; ) {
    const what = byteAt(stops, at);
    if ((what & stop.arrival) !== 0) {
      paths = distinct([...(search.arriving.get(at) ?? []), ...paths], matcher);
      search.arriving.delete(at);
    }
    if ((what & stop.cut) !== 0) for (const path of paths) addPrefix(search, path, at, cuts.get(at) ?? at);
    if ((what & stop.escape) !== 0) passAll(search, paths, at);
    if (at === length) return search.spans;
    let next = at + 1;
    while (stops[next] === 0) next += 1;
    for (const path of paths) readPlain(search, path, at, next);
    at = next;
  }
}

function passAll(search: PathSearch, paths: readonly Path[], at: number): void {
  const { firstAt, nextOf } = search.readings;
  for (let each = firstAt(at); each !== -1; each = nextOf(each)) {
    for (const path of paths) pass(search, path, at, each);
  }
}

/** Only a crafted text has more paths to one place: those that have read most of a secret are kept. */
const mostPaths = 16;

/** Of paths in the same state the first is kept. A path with nothing read is dropped if there are others. */
function distinct(paths: readonly Path[], { depthOf }: Matcher): Path[] {
  const kept: Path[] = [];
  for (const path of paths) if (path.state !== 0 && !kept.some(({ state }) => state === path.state)) kept.push(path);
  if (kept.length === 0) return paths.slice(0, 1);
  if (kept.length <= mostPaths) return kept;
  return kept.toSorted((a, b) => depthOf(b.state) - depthOf(a.state)).slice(0, mostPaths);
}

/** Reads plain bytes up to the next place that needs more. */
function readPlain({ readings: { bytes }, matcher, spans }: PathSearch, path: Path, from: number, to: number): void {
  const { starts } = matcher;
  let { state } = path;
  for (let at = from; at < to; at += 1) {
    const byte = byteAt(bytes, at);
    if (state === 0 && starts[byte] === 0) continue;
    state = matcher.step(state, byte);
    const length = matcher.endsAt(state);
    if (length > 0) addSpan(spans, startOf(path.last, at + 1, length), at + 1);
  }
  path.state = state;
  if (state === 0) path.last = undefined;
}

/** Reads an escape. A secret that begins or ends within its meaning covers the whole escape. */
function pass({ readings, matcher, spans, arriving, stops }: PathSearch, path: Path, from: number, one: number): void {
  const [to, bytes] = [readings.toOf(one), readings.bytesOf(one)];
  let { state } = path;
  for (let index = 0; index < bytes.length; index += 1) {
    state = matcher.step(state, byteAt(bytes, index));
    const found = matcher.endsAt(state);
    if (found > 0) addSpan(spans, found <= index + 1 ? from : startOf(path.last, from, found - index - 1), to);
  }
  if (state === 0) return; // equal to reading the bytes themselves
  const last = { from, to, length: bytes.length, before: path.last, followed: 0 };
  const known = arriving.get(to);
  if (known === undefined) arriving.set(to, [{ state, last }]);
  else known.push({ state, last });
  stops[to] = byteAt(stops, to) | stop.arrival;
}

/** A cut secret counts from its fourth byte on. */
function addPrefix({ spans, matcher }: PathSearch, path: Path, at: number, end: number): void {
  const length = matcher.depthOf(path.state);
  if (length >= shortest) addSpan(spans, startOf(path.last, at, length), end);
}

/**
 * Returns where the last `length` bytes before `end` began. What was followed back earlier is a span already and is not
 * followed again.
 */
function startOf(last: EscapeStep | undefined, end: number, length: number): number {
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
