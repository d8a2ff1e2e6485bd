/**
 * A body that is a row of JSON texts, each one value: read as the list of these values. stream-json says whether a text is one value;
 * with brackets around the row and commas in the place of separators the page scanner then reads it, so that items, captured values
 * and fingerprint are those of the list, and every byte keeps its offset.
 */
import { constants, isUtf8 } from 'node:buffer';
import { ExtractError } from '../../errors.js';
import { jsonFault } from '../../exact-parse.js';
import { utf8Error } from '../scanner/faults.js';
import { type Scan, type ScanEvent, type ScanOptions, startScan } from '../scanner/scanner.js';
import { findInvalid } from '../scanner/utf8.js';
import { type Block, createBlocks } from './blocks.js';
import { createJudge } from './one-value.js';
import { createWithin } from './within.js';

/** How texts stand in a row. */
export interface Row {
  /** The byte between texts. */
  readonly separator: number;
  /** Texts begin with the separator, and a number, true, false or null ends with white space, or else was cut short. RFC 7464. */
  readonly isSequence: boolean;
}

/** A text a line. A line feed cannot stand inside a value, only between its tokens, where it is a fault. */
export const lines: Row = { separator: 0x0a, isSequence: false };

/** Texts that begin with a record separator and may go over several lines. */
export const sequence: Row = { separator: 0x1e, isSequence: true };

const LINE_FEED = 0x0a;
const COMMA = 0x2c;
const SPACE = 0x20;
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

const isSpace = (byte: number | undefined) => byte === SPACE || byte === LINE_FEED || byte === 0x0d || byte === 0x09;
/** A quote, a bracket or a brace: what begins so cannot be cut without a fault. */
const endsItself = (byte: number | undefined) => byte === 0x22 || byte === 0x5b || byte === 0x7b;

/**
 * Starts to read one page. A path of the data field leads into each value; paths of captures begin with the index of a value.
 * Faults are those of `Scan`; ERR_JSON also for a text that is not one value.
 */
export function startTexts(options: ScanOptions, row: Row): Scan {
  const { dataField } = options;
  const scan = startScan({ ...options, dataField: { kind: 'path', segments: [], text: '' }, firstOffset: -1 });
  const within =
    dataField.kind === 'path' && dataField.segments.length > 0 ? createWithin(dataField.segments) : undefined;
  const maxBytes = Math.min(options.maxItemBytes, constants.MAX_STRING_LENGTH - 1);
  const blocks = createBlocks(row.separator);
  const check = createCheck(row, maxBytes);
  let hasBegun = false;

  function* read(block: Block): Iterable<ScanEvent> {
    check.block(block);
    if (!hasBegun) yield* itemsOf(scan.feed(OPEN));
    hasBegun = true;
    yield* itemsOf(scan.feed(block.bytes.subarray(0, -1)));
  }

  function* itemsOf(events: Iterable<ScanEvent>): Iterable<ScanEvent> {
    if (within === undefined) return yield* events;
    for (const event of events) {
      const slab = 'slab' in event ? within.take(event.slab) : undefined;
      if (slab !== undefined && slab.count > 0) yield { slab };
    }
  }

  return {
    *feed(chunk) {
      const block = blocks.take(chunk);
      if (block !== undefined) yield* read(block);
      const { offset, length } = blocks.open;
      if (length > maxBytes) throw tooLarge(offset, maxBytes);
    },
    *end() {
      yield* read(blocks.rest());
      yield* itemsOf(scan.feed(CLOSE));
      yield* itemsOf(scan.end());
    },
    get count() {
      return (within ?? scan).count;
    },
    get itemBytes() {
      return (within ?? scan).itemBytes;
    },
    get found() {
      return within === undefined || within.isFound || scan.count === 0 ? 'list' : 'empty';
    },
    captured: scan.captured,
    astray: scan.astray,
    chain: scan.chain,
    dispose: scan.dispose,
  };
}

/** Checks the texts of each block, and turns their separators into what a list has there. */
function createCheck({ separator, isSequence }: Row, maxBytes: number) {
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
        checkValue(bytes.toString('utf8', first, to + 1), offset + first);
        if (values > 0) bytes[from - 1] = COMMA;
        values++;
      }
      from = to + 1;
      isFirst = false;
    }
  }

  function checkSequence(bytes: Buffer, { from, first, to }: Place, offset: number): void {
    const reason =
      isFirst && from === 0
        ? 'expected the record separator that begins a text'
        : endsItself(bytes[first]) || isSpace(bytes[to - 1])
          ? undefined
          : 'a text that was cut short: expected white space behind a number, true, false or null';
    if (reason === undefined) return;
    const at = offset + (from === 0 ? first : to);
    throw new ExtractError('ERR_JSON', `no valid JSON sequence at byte ${at}: ${reason}`, { offset: at });
  }

  function checkValue(text: string, offset: number): void {
    const verdict = judge(text);
    if (verdict === 'one value') return;
    if (verdict === 'broken') throw jsonFault(text.slice(0, -1), offset);
    const message = `the text that begins at byte ${offset} nests deeper than 511 levels`;
    throw new ExtractError('ERR_DEPTH', message, { offset });
  }

  return { block };
}

interface Place {
  readonly from: number;
  /** The first byte that is no white space. */
  readonly first: number;
  readonly to: number;
}

/** A byte-order mark counts as white space. */
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

function tooLarge(offset: number, maxBytes: number): ExtractError {
  const message = `the text that begins at byte ${offset} is larger than ${maxBytes} bytes`;
  return new ExtractError('ERR_ITEM_SIZE', message, { offset });
}
