/**
 * A body that is a row of JSON texts, each one value: read as the list of these values. stream-json says whether a text
 * is one value; with brackets around the row and commas in the place of separators the page scanner then reads it, so
 * that items, captured values and fingerprint are those of the list, and every byte keeps its offset.
 */
import { constants } from 'node:buffer';
import { type Scan, type ScanEvent, type ScanOptions, startScan } from '../scanner/scanner.js';
import { type Block, createBlocks } from './blocks.js';
import { createCheck, type SequenceFormat, tooLarge } from './check.js';
import { scanWithin } from './nested-items.js';

/** A text a line. A line feed cannot stand inside a value, only between its tokens, where it is a fault. */
export const lines: SequenceFormat = { separator: 0x0a, isSequence: false };

/** Texts that begin with a record separator and may go over several lines. */
export const sequence: SequenceFormat = { separator: 0x1e, isSequence: true };

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

/**
 * Starts to read one page. A path of the data field leads into each value; paths of captures begin with the index of a
 * value. Faults are those of `Scan`; ERR_JSON also for a text that is not one value.
 */
export function startTexts(options: ScanOptions, row: SequenceFormat): Scan {
  const { dataField } = options;
  const list = startScan({ ...options, dataField: { kind: 'path', segments: [], text: '' }, firstOffset: -1 });
  const leadsIn = dataField.kind === 'path' && dataField.segments.length > 0;
  const scan = leadsIn ? scanWithin(list, dataField.segments) : list;
  const maxBytes = Math.min(options.maxItemBytes, constants.MAX_STRING_LENGTH - 1);
  const blocks = createBlocks(row.separator);
  const check = createCheck(row, maxBytes);
  let hasBegun = false;

  function* read(block: Block): Iterable<ScanEvent> {
    check.block(block);
    if (!hasBegun) yield* scan.feed(OPEN);
    hasBegun = true;
    yield* scan.feed(block.bytes.subarray(0, -1));
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
      yield* scan.feed(CLOSE);
      yield* scan.end();
    },
    get count() {
      return scan.count;
    },
    get itemBytes() {
      return scan.itemBytes;
    },
    get found() {
      return scan.found;
    },
    captured: scan.captured,
    astray: scan.astray,
    chain: scan.chain,
    get itemsDigest() {
      return scan.itemsDigest;
    },
    dispose: scan.dispose,
  };
}
