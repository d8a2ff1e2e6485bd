/** The scan of an archive: a scan for each of its files, whose items are those of one page. */
import { createHash } from 'node:crypto';
import { ExtractError } from '../core/errors/errors.js';
import type { LocatedItems } from './scanner/items-locator.js';
import type { Scan, ScanEvent } from './scanner/scan.js';
import type { CapturedText } from './scanner/slots.js';

const hasPlace: ReadonlySet<LocatedItems> = new Set(['list', 'object', 'scalar']);
const noValue: CapturedText = { json: undefined, beside: [], depth: 0 };

export class PartedScan implements Scan {
  readonly #start: () => Scan;
  /** Of the file that is read; undefined between two files, and before a file has a byte. */
  #scan: Scan | undefined;
  /** Of the last file that is complete. */
  #last: Scan | undefined;
  #hasFile = false;
  #found: LocatedItems | undefined;
  #chain: bigint[] = [];
  #digests: bigint[] = [];
  #count = 0;
  #itemBytes = 0;
  readonly #fingerprint: boolean;

  /** `start` begins the scan of a file. */
  constructor(start: () => Scan, fingerprint: boolean) {
    this.#start = start;
    this.#fingerprint = fingerprint;
  }

  *feed(chunk: Uint8Array): Iterable<ScanEvent> {
    this.#scan ??= this.#start();
    yield* this.#checked(this.#scan.feed(chunk));
  }

  /** Ends a file. One without a byte has no items. */
  *endFile(): Iterable<ScanEvent> {
    this.#hasFile = true;
    yield* this.#endScan();
  }

  *#endScan(): Iterable<ScanEvent> {
    const scan = this.#scan;
    if (scan === undefined) return;
    yield* this.#checked(scan.end());
    this.#count += scan.count;
    this.#itemBytes += scan.itemBytes;
    this.#chain.push(...scan.chain);
    if (scan.itemsDigest !== undefined) this.#digests.push(scan.itemsDigest);
    if (this.#found === undefined || !hasPlace.has(this.#found)) this.#found = scan.found;
    scan.dispose();
    this.#last = scan;
    this.#scan = undefined;
  }

  *end(): Iterable<ScanEvent> {
    if (this.#hasFile && this.#last === undefined) this.#scan ??= this.#start(); // its files have no byte
    yield* this.#endScan();
    if (this.#fingerprint) this.#chain.push(digestOf(this.#digests), digestOf(this.#chain), BigInt(this.#count));
  }

  get chain(): readonly bigint[] {
    return this.#scan === undefined ? this.#chain : [...this.#chain, ...this.#scan.chain];
  }

  get count(): number {
    return this.#count + (this.#scan?.count ?? 0);
  }

  get itemBytes(): number {
    return this.#itemBytes + (this.#scan?.itemBytes ?? 0);
  }

  /** Of the first file with a place for items; otherwise of the last one. An archive without files has none. */
  get found(): LocatedItems {
    return this.#found ?? 'absent';
  }

  get itemsDigest(): bigint | undefined {
    return this.#chain.at(-3);
  }

  /** Of the last file. */
  captured(index: number): CapturedText {
    return this.#last?.captured(index) ?? noValue;
  }

  pathMiss(): Pick<CapturedText, 'beside' | 'depth'> {
    return this.#last?.pathMiss() ?? noValue;
  }

  dispose(): void {
    this.#scan?.dispose();
  }

  /** A list that is there twice would take back the items of the files before it. */
  *#checked(events: Iterable<ScanEvent>): Iterable<ScanEvent> {
    for (const event of events) {
      if ('restart' in event && this.#count > 0) {
        throw new ExtractError('ERR_JSON', 'a file after the first one has the list of its items twice');
      }
      yield event;
    }
  }
}

function digestOf(numbers: readonly bigint[]): bigint {
  return createHash('sha256').update(numbers.join()).digest().readBigUInt64LE();
}
