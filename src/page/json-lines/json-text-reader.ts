/**
 * Reads a body of several JSON texts, such as JSON Lines, as one list. stream-json checks that each text is one value.
 * The page scanner then reads the sequence with brackets around it and commas for separators, so items, captured values
 * and fingerprint are those of a list, and every byte keeps its offset.
 */
import { constants } from 'node:buffer';
import type { LocatedItems } from '../scanner/items-locator.js';
import { type CapturedText, type Scan, type ScanEvent, type ScanOptions, startScan } from '../scanner/scanner.js';
import { type Block, type Blocks, createBlocks } from './blocks.js';
import { createCheck, type SequenceFormat, tooLarge } from './check.js';
import { scanWithin } from './nested-items.js';

/** One text per line. A line feed cannot occur inside a value, only between its tokens, where it is an error. */
export const lines: SequenceFormat = { separator: 0x0a, isSequence: false };

/** Texts that begin with a record separator and may span several lines. */
export const sequence: SequenceFormat = { separator: 0x1e, isSequence: true };

const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

/**
 * Starts to read one page. The data field path applies to each value; capture paths begin with the index of a value.
 * Throws the errors of `Scan`; ERR_JSON also for a text that is not one value.
 */
export const startTexts = (options: ScanOptions, row: SequenceFormat): Scan => new TextsScan(options, row);

class TextsScan implements Scan {
  readonly chain: readonly bigint[];
  readonly #scan: Scan;
  readonly #maxBytes: number;
  readonly #blocks: Blocks;
  readonly #check: ReturnType<typeof createCheck>;
  #hasBegun = false;

  constructor(options: ScanOptions, row: SequenceFormat) {
    const { dataField } = options;
    const list = startScan({ ...options, dataField: { kind: 'path', segments: [], text: '' }, firstOffset: -1 });
    const leadsIn = dataField.kind === 'path' && dataField.segments.length > 0;
    this.#scan = leadsIn ? scanWithin(list, dataField.segments) : list;
    this.#maxBytes = Math.min(options.maxItemBytes, constants.MAX_STRING_LENGTH - 1);
    this.#blocks = createBlocks(row.separator);
    this.#check = createCheck(row, this.#maxBytes);
    this.chain = this.#scan.chain;
  }

  *feed(chunk: Uint8Array): Iterable<ScanEvent> {
    const block = this.#blocks.take(chunk);
    if (block !== undefined) yield* this.#read(block);
    const { offset, length } = this.#blocks.open();
    if (length > this.#maxBytes) throw tooLarge(offset, this.#maxBytes);
  }

  *end(): Iterable<ScanEvent> {
    yield* this.#read(this.#blocks.rest());
    yield* this.#scan.feed(CLOSE);
    yield* this.#scan.end();
  }

  *#read(block: Block): Iterable<ScanEvent> {
    this.#check.block(block);
    if (!this.#hasBegun) yield* this.#scan.feed(OPEN);
    this.#hasBegun = true;
    yield* this.#scan.feed(block.bytes.subarray(0, -1));
  }

  get count(): number {
    return this.#scan.count;
  }

  get itemBytes(): number {
    return this.#scan.itemBytes;
  }

  get found(): LocatedItems {
    return this.#scan.found;
  }

  get itemsDigest(): bigint | undefined {
    return this.#scan.itemsDigest;
  }

  captured(index: number): CapturedText {
    return this.#scan.captured(index);
  }

  pathMiss(): Pick<CapturedText, 'beside' | 'depth'> {
    return this.#scan.pathMiss();
  }

  dispose(): void {
    this.#scan.dispose();
  }
}
