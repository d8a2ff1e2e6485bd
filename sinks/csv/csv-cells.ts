/** Writes JSON values as cells of CSV. RFC 4180. */
import { afterValue, BACKSLASH, OPEN_LIST, OPEN_OBJECT, QUOTE, stringAt } from '../../src/core/json/byte-steps.js';
import type { GrowingBytes } from '../growing-bytes.js';
import { afterEscape, escapedByte, escapedCode, writeCode } from '../json-escapes.js';
import { hasLoneSurrogate } from '../lone-surrogates.js';

export interface CellOptions {
  /** One byte. */
  readonly delimiter: number;
  /** Puts `'` before texts that a spreadsheet takes for formulas. */
  readonly escapesFormulas: boolean;
  /** Called for a text with a lone surrogate, which becomes U+FFFD. */
  readonly onLoneSurrogate: () => void;
}

export interface Cells {
  /** A text that is not JSON. */
  writeText(text: string, out: GrowingBytes): void;
  /** The value that begins at a position; null is an empty cell. Returns the position after the value. */
  writeNext(source: Buffer, from: number, out: GrowingBytes): number;
}

export const CR = 0x0d;
export const LF = 0x0a;
const NULL = 0x6e;
const APOSTROPHE = 0x27;

/** Returns the functions for cells. */
export function createCells({ delimiter, escapesFormulas, onLoneSurrogate }: CellOptions): Cells {
  const special = Uint8Array.of(QUOTE, LF, CR, delimiter);

  /** A text that was decoded. */
  const writeText = (text: string, out: GrowingBytes) => {
    const safe = escapesFormulas && isFormula(text.charCodeAt(0)) ? `'${text}` : text;
    const bytes = Buffer.from(safe);
    if (safe === '' || bytes.some((byte) => special.includes(byte))) writeQuoted(bytes, 0, bytes.length, out);
    else out.copy(bytes, 0, bytes.length);
  };

  /** The JSON string that begins at `from`. Most have no escape and need no quotes. */
  const writeString = (source: Buffer, from: number, out: GrowingBytes): number => {
    let at = from + 1;
    let needsQuotes = source[at] === QUOTE;
    let hasEscape = false;
    for (let byte = source[at]; byte !== QUOTE; byte = source[at]) {
      if (byte === BACKSLASH) {
        hasEscape = true;
        at += 1;
        needsQuotes ||= special.includes(escapedByte(source[at]));
      } else if (byte === delimiter) needsQuotes = true;
      at += 1;
    }
    const to = at + 1;
    if (escapesFormulas && mayBeFormula(source[from + 1])) writeDecoded(source, from, to, out);
    else if (hasEscape) {
      if (!writeUnescaped(source, from, to, needsQuotes, out)) writeDecoded(source, from, to, out);
    } else out.copy(source, needsQuotes ? from : from + 1, needsQuotes ? to : at);
    return to;
  };

  const writeDecoded = (source: Buffer, from: number, to: number, out: GrowingBytes) => {
    const text = stringAt(source, from, to);
    if (hasLoneSurrogate(text)) onLoneSurrogate();
    writeText(text, out);
  };

  const writeNext = (source: Buffer, from: number, out: GrowingBytes): number => {
    const first = source[from];
    if (first === QUOTE) return writeString(source, from, out);
    const to = afterValue(source, from);
    if (first === OPEN_OBJECT || first === OPEN_LIST) writeQuoted(source, from, to, out);
    else if (first !== NULL) out.copy(source, from, to);
    return to;
  };

  return { writeText, writeNext };
}

/** Writes the bytes in quotes, with each of their quotes twice. */
export function writeQuoted(source: Buffer, from: number, to: number, out: GrowingBytes): void {
  const bytes = out.room(2 * (to - from) + 2);
  let own = out.length;
  bytes[own++] = QUOTE;
  for (let at = from; at < to; at++) {
    const byte = source[at] ?? 0;
    bytes[own++] = byte;
    if (byte === QUOTE) bytes[own++] = QUOTE;
  }
  bytes[own++] = QUOTE;
  out.end(own);
}

/**
 * Writes the JSON string between two positions as a cell, from its bytes. Returns false, and writes nothing, if it has
 * an escape of an ASCII character by its number, or of half a surrogate pair.
 */
export function writeUnescaped(
  source: Buffer,
  from: number,
  to: number,
  needsQuotes: boolean,
  out: GrowingBytes,
): boolean {
  const bytes = out.room(2 * (to - from));
  let own = out.length;
  if (needsQuotes) bytes[own++] = QUOTE;
  for (let at = from + 1; at < to - 1; ) {
    const byte = source[at] ?? 0;
    if (byte !== BACKSLASH) {
      bytes[own++] = byte;
      at += 1;
      continue;
    }
    const escaped = escapedByte(source[at + 1]);
    if (escaped > 0) {
      if (escaped === QUOTE) bytes[own++] = QUOTE;
      bytes[own++] = escaped;
      at += 2;
      continue;
    }
    const code = escapedCode(source, at);
    if (code < 0x80) return false;
    own = writeCode(code, bytes, own);
    at = afterEscape(at, code);
  }
  if (needsQuotes) bytes[own++] = QUOTE;
  out.end(own);
  return true;
}

/** `=`, `+`, `-`, `@`, tab, CR; and `'`, so that a reader can remove it again. */
const isFormula = (code: number | undefined): boolean =>
  code === 0x3d || code === 0x2b || code === 0x2d || code === 0x40 || code === 9 || code === CR || code === APOSTROPHE;

const mayBeFormula = (code: number | undefined): boolean => code === BACKSLASH || isFormula(code);

/** The texts of the first row, which begins at `from`. */
export function readRow(bytes: Buffer, from: number, { delimiter, escapesFormulas }: CellOptions): readonly string[] {
  const cells: string[] = [];
  for (let at = from; ; at++) {
    const start = at;
    at = afterCell(bytes, at, delimiter);
    const raw = bytes.toString('utf8', start, at);
    const text = raw.startsWith('"') ? raw.slice(1, -1).replaceAll('""', '"') : raw;
    cells.push(escapesFormulas && text.startsWith("'") ? text.slice(1) : text);
    if (bytes[at] !== delimiter) return cells;
  }
}

function afterCell(bytes: Buffer, from: number, delimiter: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== delimiter && bytes[at] !== CR) {
    if (bytes[at] === QUOTE) at = bytes.indexOf(QUOTE, at + 1);
    if (at < 0) return bytes.length;
    at += 1;
  }
  return at;
}
