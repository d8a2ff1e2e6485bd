/** Finds escapes in a text: percent-encoding, HTML references, JSON escapes, and UTF-8 that was decoded as Latin-1. */
import { decodeHTMLStrict } from 'entities/decode';
import { createReader, createReadings, type GraphReader, isKind, kind, type Readings } from './graph.js';
import { byteAt } from './number-tables.js';

/** Decodes nested escapes up to `rounds` levels. Linear in the bytes. */
export function findReadings(bytes: Uint8Array, rounds: number): Readings {
  const readings = createReadings(bytes);
  const reader = createReader(readings);
  let starts = startersIn(bytes);
  // An escape consists of what follows it: going left to right, each round sees only the escapes of earlier rounds.
  for (let round = 0; round < rounds && starts.length > 0; round += 1) {
    for (const at of starts) addEscapes(readings, reader, at);
    starts = starts.filter((at) => mayGrow(readings, at));
  }
  return readings;
}

/** Escapes begin at these bytes only. */
function startersIn(bytes: Uint8Array): readonly number[] {
  const starts: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) if (isStarter(byteAt(bytes, at))) starts.push(at);
  return starts;
}

const code = (char: string): number => char.charCodeAt(0);
const [percent, ampersand, backslash] = [code('%'), code('&'), code('\\')];

/** The first byte of a character from U+0080 to U+00FF. */
const isLatin = (byte: number): boolean => byte === 0xc2 || byte === 0xc3;

/** Whether an escape can begin with this byte. */
export const isStarter = (byte: number): boolean =>
  byte === percent || byte === ampersand || byte === backslash || isLatin(byte);

/** Most characters of an escape after its first: of a percent-encoded byte, of a `\u`, of a reference. */
const longest = (starter: number): number => (starter === percent ? 2 : starter === backslash ? 6 : 33);

/** Whether reading the known escapes may show another one at this place. */
export function mayGrow({ bytes, firstAt, nextOf, bytesOf }: Readings, start: number): boolean {
  for (let each = firstAt(start); each !== -1; each = nextOf(each)) {
    const meaning = bytesOf(each);
    if (meaning.length === 1 && isStarter(byteAt(meaning, 0))) return true;
  }
  const most = start + longest(byteAt(bytes, start));
  for (let at = start + 1; at <= most; at += 1) {
    const byte = byteAt(bytes, at);
    if (isStarter(byte)) return true;
    if (!isKind(byte, kind.alphanumeric | kind.hash)) return false;
  }
  return false;
}

/** An escape that is being read, and where it begins. */
interface Reading {
  readonly readings: Readings;
  readonly reader: GraphReader;
  readonly start: number;
}

/** Adds all escapes that begin at a place, however their own characters are encoded. */
export function addEscapes(readings: Readings, reader: GraphReader, start: number): void {
  const reading = { readings, reader, start };
  eachRead(readings, start, (byte, to) => {
    if (byte === percent) addPercentEncoded(reading, to);
    else if (byte === ampersand) addReference(reading, to);
    else if (byte === backslash) addJsonEscape(reading, to, to > start + 1);
    else if (isLatin(byte)) addMisread(reading, byte, to);
  });
}

/** Calls `take` with each single byte that can be read at a place, and the place after it. */
function eachRead(
  { bytes, firstAt, nextOf, toOf, bytesOf }: Readings,
  at: number,
  take: (byte: number, to: number) => void,
) {
  const plain = bytes[at];
  let each = firstAt(at);
  if (plain !== undefined) take(plain, at + 1);
  for (; each !== -1; each = nextOf(each)) {
    const meaning = bytesOf(each);
    if (meaning.length === 1) take(byteAt(meaning, 0), toOf(each));
  }
}

const singles = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
const single = (byte: number): Uint8Array => singles[byte] ?? Uint8Array.of(byte);

/** After its `%`. RFC 3986 2.1. */
function addPercentEncoded({ readings, reader, start }: Reading, at: number): void {
  const to = reader.digits(at, 16, 2, 2);
  if (to !== -1) readings.add(start, to, single(reader.number));
}

/** Adds a text, and also the Latin-1 byte that it may stand for. */
function addText({ readings, start }: Reading, to: number, text: string): void {
  const bytes = Buffer.from(text);
  const [first = 0, second = 0] = bytes;
  readings.add(start, to, bytes);
  if (bytes.length === 2 && isLatin(first)) readings.add(start, to, latinByte(first, second));
}

function addPoint(reading: Reading, to: number, point: number): void {
  if (point < 0x80) reading.readings.add(reading.start, to, single(point));
  else addText(reading, to, String.fromCodePoint(point));
}

const latinByte = (first: number, second: number): Uint8Array => single(((first & 0x03) << 6) | (second & 0x3f));

/** After its first byte. */
function addMisread({ readings, reader, start }: Reading, first: number, at: number): void {
  const to = reader.one(at, kind.continuation);
  if (to !== -1) readings.add(start, to, latinByte(first, reader.byte));
}

/** Length of the longest name in HTML, and most digits of a code point with leading zeros. */
const [longestName, mostDigits] = [31, 12];

/** After its `&`. HTML 13.5. The semicolon of a number is optional. */
function addReference(reading: Reading, at: number): void {
  const { reader } = reading;
  const number = reader.one(at, kind.hash);
  if (number !== -1) {
    addNumber(reading, number);
    return;
  }
  const end = reader.word(at, longestName);
  const written = `&${reader.text};`;
  const to = end === at ? -1 : reader.one(end, kind.semicolon);
  const text = to === -1 ? written : decodeHTMLStrict(written);
  if (text !== written) addText(reading, to, text);
}

function addNumber(reading: Reading, at: number): void {
  const { reader } = reading;
  const mark = reader.one(at, kind.x);
  const end = mark === -1 ? reader.digits(at, 10, 1, mostDigits) : reader.digits(mark, 16, 1, mostDigits);
  const point = reader.number;
  if (end === -1 || point > 0x10ffff) return;
  const to = reader.one(end, kind.semicolon);
  addPoint(reading, to === -1 ? end : to, point);
}

/** RFC 8259 7, and the apostrophe, which other languages escape. */
const shortEscapes: ReadonlyMap<number, Uint8Array> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', "'": "'", b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([char, text]) => [code(char), single(code(text))],
  ),
);

/**
 * After its backslash; `wasEscaped` if the backslash itself was encoded. In a row of backslashes both of a pair must be
 * encoded alike, or the number of readings would explode.
 */
function addJsonEscape(reading: Reading, at: number, wasEscaped: boolean): void {
  const { readings, start } = reading;
  const areLiteral = readings.bytes[start] === backslash && readings.bytes[at] === backslash;
  eachRead(readings, at, (byte, to) => {
    if (byte === backslash && areLiteral && wasEscaped !== to > at + 1) return;
    const short = shortEscapes.get(byte);
    if (short !== undefined) readings.add(start, to, short);
    else if (byte === code('u')) addUnit(reading, to);
  });
}

/** After its `\u`. A character beyond U+FFFF is written as two of them. */
function addUnit(reading: Reading, at: number): void {
  const { readings, reader } = reading;
  const end = reader.digits(at, 16, 4, 4);
  const unit = reader.number;
  if (end === -1) return;
  addPoint(reading, end, unit);
  if (unit < 0xd800 || unit >= 0xdc00) return;
  eachRead(readings, end, (byte, next) => {
    const mark = byte === backslash ? reader.one(next, kind.u) : -1;
    const to = mark === -1 ? -1 : reader.digits(mark, 16, 4, 4);
    const low = reader.number;
    if (to !== -1 && low >= 0xdc00 && low < 0xe000) addText(reading, to, String.fromCharCode(unit, low));
  });
}
