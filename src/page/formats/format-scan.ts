/** Reads a body in a format that is not JSON: the same slabs, counts and fingerprint as those of the page scanner. */
import { createHash } from 'node:crypto';
import type { LocatedItems } from '../scanner/items-locator.js';
import type { CapturedText, Scan, ScanEvent, ScanOptions } from '../scanner/scanner.js';
import type { Converter, Format, FormatContext } from './body-format.js';
import { ItemWriter } from './item-writer.js';

/** What a format needs beside the options of a scan. */
export type FormatSettings = Pick<FormatContext, 'options' | 'memory' | 'warn'>;

/** Bytes that are converted at once: the output has room for what they become. */
const PART_BYTES = 64 * 1024;

const noValue: CapturedText = { json: undefined, beside: [], depth: 0 };

export class FormatScan implements Scan {
  readonly chain: bigint[] = [];
  readonly #out: ItemWriter;
  readonly #converter: Converter;
  readonly #captures: number;
  readonly #digest = createHash('sha256');
  readonly #fingerprint: boolean;
  #count = 0;
  #bytes = 0;

  constructor(format: Format, scan: ScanOptions, settings: FormatSettings) {
    const { batchBytes, maxItemBytes, maxCaptureBytes, captures, allocate = Buffer.allocUnsafeSlow } = scan;
    this.#out = new ItemWriter({ batchBytes, allocate });
    this.#converter = format.create({ ...settings, out: this.#out, maxItemBytes, maxCaptureBytes, captures });
    this.#captures = captures.length;
    this.#fingerprint = scan.fingerprint;
  }

  *feed(chunk: Uint8Array): Iterable<ScanEvent> {
    for (let from = 0; from < chunk.length; from += PART_BYTES) {
      const part = chunk.subarray(from, from + PART_BYTES);
      for (let at = 0; at < part.length; ) {
        at = this.#converter.push(part, at);
        if (this.#out.isFull()) yield this.#fullSlab();
      }
    }
  }

  *end(): Iterable<ScanEvent> {
    this.#converter.end();
    if (this.#out.isFull()) yield this.#fullSlab();
    else if (this.#out.count > 0) yield this.#slab();
    if (!this.#fingerprint) return;
    this.chain.push(this.#digestSoFar(), this.#digestOfRest(), BigInt(this.#count));
  }

  get count(): number {
    return this.#count + this.#out.count;
  }

  get itemBytes(): number {
    return this.#bytes + this.#out.itemAt;
  }

  get itemsDigest(): bigint | undefined {
    return this.chain.at(-3);
  }

  get found(): LocatedItems {
    return this.#converter.hasPlace?.() === false ? 'absent' : 'list';
  }

  captured(index: number): CapturedText {
    return this.#converter.captured?.(index) ?? noValue;
  }

  pathMiss(): Pick<CapturedText, 'beside' | 'depth'> {
    return this.#converter.pathMiss?.() ?? noValue;
  }

  dispose(): void {}

  #slab(): ScanEvent {
    const slab = this.#out.takeSlab();
    this.#count += slab.count;
    this.#bytes += slab.bytes.length;
    if (this.#fingerprint) this.#digest.update(slab.bytes);
    return { slab };
  }

  /** The items alone decide where a full slab ends, so equal pages have equal digests. */
  #fullSlab(): ScanEvent {
    const event = this.#slab();
    if (this.#fingerprint) this.chain.push(this.#digestSoFar());
    return event;
  }

  #digestSoFar(): bigint {
    return this.#digest.copy().digest().readBigUInt64LE();
  }

  /** Of the values around the items, as far as they are captured. */
  #digestOfRest(): bigint {
    const rest = createHash('sha256');
    for (let index = 0; index < this.#captures; index++) rest.update(this.captured(index).json ?? 'none');
    return rest.digest().readBigUInt64LE();
  }
}
