/**
 * Applies the data field to each value of a sequence: turns a slab of values into the slab of the items at that path.
 */
import { createHash } from 'node:crypto';
import { afterComma, afterValue, CLOSE_LIST, OPEN_LIST, OPEN_OBJECT } from '../../core/json/byte-steps.js';
import { startOf } from '../../core/model/batch.js';
import { asBuffer } from '../../core/util/as-buffer.js';
import type { LocatedItems } from '../scanner/items-locator.js';
import { isEmptyScalar } from '../scanner/path-tracker.js';
import type { CapturedText, Scan, ScanEvent, Slab } from '../scanner/scanner.js';
import { placeOf } from './place-of.js';

/** Wraps the scan of a list, and returns the items at the path in each of its values. */
export const scanWithin = (list: Scan, segments: readonly string[]): Scan => new NestedScan(list, segments);

class NestedScan implements Scan {
  readonly chain: readonly bigint[];
  readonly #list: Scan;
  readonly #depth: number;
  readonly #within: Within;
  readonly #digest = createHash('sha256');

  constructor(list: Scan, segments: readonly string[]) {
    this.chain = list.chain;
    this.#list = list;
    this.#depth = segments.length;
    this.#within = createWithin(segments);
  }

  feed(chunk: Uint8Array): Iterable<ScanEvent> {
    return this.#itemsOf(this.#list.feed(chunk));
  }

  end(): Iterable<ScanEvent> {
    return this.#itemsOf(this.#list.end());
  }

  *#itemsOf(events: Iterable<ScanEvent>): Iterable<ScanEvent> {
    for (const event of events) {
      const slab = 'slab' in event ? this.#within.take(event.slab) : undefined;
      if (slab === undefined || slab.count === 0) continue;
      this.#digest.update(slab.bytes);
      yield { slab };
    }
  }

  get count(): number {
    return this.#within.count();
  }

  get itemBytes(): number {
    return this.#within.itemBytes();
  }

  get itemsDigest(): bigint | undefined {
    if (this.#list.itemsDigest === undefined) return undefined;
    return this.#digest.copy().digest().readBigUInt64LE();
  }

  get found(): LocatedItems {
    return this.#within.isFound() || this.#list.count === 0 ? 'list' : 'empty';
  }

  captured(index: number): CapturedText {
    return this.#list.captured(index);
  }

  pathMiss(): Pick<CapturedText, 'beside' | 'depth'> {
    return this.#within.isThere() ? { beside: [], depth: this.#depth } : this.#list.pathMiss();
  }

  dispose(): void {
    this.#list.dispose();
  }
}

interface Within {
  take(values: Slab): Slab;
  count(): number;
  itemBytes(): number;
  /** Whether the path led to a value in any text, even to an empty list. */
  isFound(): boolean;
  /** The same, also for a value that counts as nothing. */
  isThere(): boolean;
}

/**
 * Counts the value at the path as in a page: a list gives its elements, an empty value none, any other value one item.
 */
function createWithin(segments: readonly string[]): Within {
  let count = 0;
  let itemBytes = 0;
  let isFound = false;
  let isThere = false;

  function takeValue(text: Buffer, from: number, out: NestedItems): void {
    const at = placeOf(text, from, segments);
    if (at < 0) return;
    isThere = true;
    if (text[at] === OPEN_LIST) {
      isFound = true;
      putElements(text, at, out);
      return;
    }
    const end = afterValue(text, at);
    if (text[at] !== OPEN_OBJECT && isEmptyScalar(text, at, end - at)) return;
    isFound = true;
    out.put(text, at, end);
  }

  return {
    take(values) {
      const text = asBuffer(values.bytes);
      const out = createOutput(text.length);
      for (let index = 0; index < values.count; index++) takeValue(text, startOf(values, index), out);
      const slab = out.slab();
      count += slab.count;
      itemBytes += slab.bytes.length;
      return slab;
    },
    count: () => count,
    itemBytes: () => itemBytes,
    isFound: () => isFound,
    isThere: () => isThere,
  };
}

function putElements(text: Buffer, from: number, out: NestedItems): void {
  for (let next = from + 1; text[next] !== CLOSE_LIST; ) {
    const end = afterValue(text, next);
    out.put(text, next, end);
    next = afterComma(text, end);
  }
}

interface NestedItems {
  put(text: Buffer, from: number, to: number): void;
  slab(): Slab;
}

/** Items need at most the room of their values. */
function createOutput(room: number): NestedItems {
  const bytes = Buffer.allocUnsafe(room);
  const offsets = [0];
  let length = 0;
  return {
    put(text, from, to) {
      length += text.copy(bytes, length, from, to);
      bytes[length++] = 0x0a;
      offsets.push(length);
    },
    // A copy: the slab may be kept, and may be small compared with the values.
    slab: () => ({
      bytes: new Uint8Array(bytes.subarray(0, length)),
      offsets: Uint32Array.from(offsets),
      count: offsets.length - 1,
    }),
  };
}
