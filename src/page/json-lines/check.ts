/** Checks each text of a sequence: it must be one complete value in UTF-8. Replaces separators by list punctuation. */
import { isUtf8 } from 'node:buffer';
import { ExtractError } from '../../core/errors/errors.js';
import { jsonFault, maxDepth } from '../../core/json/exact-parse.js';
import { utf8Error } from '../scanner/scan-errors.js';
import { findInvalid } from '../scanner/utf8.js';
import type { Block } from './blocks.js';
import { createJudge, type Judge } from './validator.js';

/** The format of a sequence of texts. */
export interface SequenceFormat {
  /** The byte between texts. */
  readonly separator: number;
  /**
   * Texts begin with the separator. A number, true, false or null ends with white space; without it, it is truncated.
   * RFC 7464 2.4.
   */
  readonly isSequence: boolean;
}

const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const SPACE = 0x20;

const isSpace = (byte: number | undefined) => byte === SPACE || byte === LINE_FEED || byte === 0x0d || byte === 0x09;
/** A quote, a bracket or a brace: truncating a value that begins with one is always an error. */
const endsItself = (byte: number | undefined) => byte === 0x22 || byte === 0x5b || byte === 0x7b;

export interface SequenceCheck {
  /** Throws ERR_JSON, ERR_UTF8, ERR_DEPTH or ERR_ITEM_SIZE for the first invalid text. Pass the blocks in order. */
  block(block: Block): void;
}

/** Creates the check of one page. `maxBytes` limits a text as received, white space included. */
export function createCheck({ separator, isSequence }: SequenceFormat, maxBytes: number): SequenceCheck {
  const judge = createJudge();
  let values = 0;
  let isFirst = true;

  function block({ bytes, offset }: Block): void {
    if (isFirst) blankMark(bytes);
    const isValid = isUtf8(bytes.subarray(0, -1));
    let from = isFirst ? 0 : 1;
    while (from < bytes.length) {
      const found = bytes.indexOf(separator, from);
      const to = found < 0 ? bytes.length - 1 : found;
      bytes[to] = LINE_FEED;
      const first = firstOf(bytes, from, to);
      if (to - from > maxBytes) throw tooLarge(offset + from, maxBytes);
      if (first < to) {
        if (!isValid) checkUtf8(bytes.subarray(first, to), offset + first);
        if (isSequence) checkSequence(bytes, { from, first, to }, offset);
        checkValue(judge, bytes.toString('utf8', first, to + 1), offset + first);
        if (values > 0) bytes[from - 1] = COMMA;
        values++;
      }
      from = to + 1;
      isFirst = false;
    }
  }

  return { block };
}

interface TextPosition {
  readonly from: number;
  /** The first byte that is not white space. */
  readonly first: number;
  readonly to: number;
}

/** Only the first text of a page may begin at the start of its block: it has no separator before it. */
function checkSequence(bytes: Buffer, { from, first, to }: TextPosition, offset: number): void {
  const reason =
    from === 0
      ? 'expected the record separator (RS) before a JSON text'
      : endsItself(bytes[first]) || isSpace(bytes[to - 1])
        ? undefined
        : 'truncated JSON text: expected whitespace after a number, true, false or null';
  if (reason === undefined) return;
  const at = offset + (from === 0 ? first : to);
  throw new ExtractError('ERR_JSON', `invalid JSON sequence at byte ${at}: ${reason}`, { offset: at });
}

function checkValue(judge: Judge, text: string, offset: number): void {
  const verdict = judge(text);
  if (verdict === 'one value') return;
  if (verdict === 'broken') throw jsonFault(text.slice(0, -1), offset);
  const message = `the JSON text at byte ${offset} is nested deeper than ${maxDepth - 1} levels`;
  throw new ExtractError('ERR_DEPTH', message, { offset });
}

/** Treats a byte-order mark as white space. */
function blankMark(bytes: Buffer): void {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) bytes.fill(SPACE, 0, 3);
}

function firstOf(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && isSpace(bytes[at])) at++;
  return at;
}

function checkUtf8(text: Uint8Array, offset: number): void {
  if (!isUtf8(text)) throw utf8Error(offset + findInvalid(text));
}

/** The error of a text that exceeds its size limit. */
export function tooLarge(offset: number, maxBytes: number): ExtractError {
  const message = `the JSON text at byte ${offset} is larger than ${maxBytes} bytes`;
  return new ExtractError('ERR_ITEM_SIZE', message, { offset });
}
