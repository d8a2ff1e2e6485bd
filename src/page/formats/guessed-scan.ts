/** A scan whose format is decided by the first byte of the body that is no white space. */
import type { LocatedItems } from '../scanner/items-locator.js';
import type { CapturedText, Scan, ScanEvent } from '../scanner/scanner.js';

const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

const mostBlankChunks = 16;

const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const noValue: CapturedText = { json: undefined, beside: [], depth: 0 };

export class GuessedScan implements Scan {
  readonly #start: (isJson: boolean) => Scan;
  #scan: Scan | undefined;
  /** The white space before that byte. */
  #blanks: Uint8Array[] = [];

  /** `start` gets whether the body begins as a JSON document does. */
  constructor(start: (isJson: boolean) => Scan) {
    this.#start = start;
  }

  *feed(chunk: Uint8Array): Iterable<ScanEvent> {
    if (this.#scan === undefined) {
      this.#blanks.push(chunk);
      const first = chunk.find((byte) => !blanks.has(byte));
      if (first === undefined && this.#blanks.length < mostBlankChunks) return;
      yield* this.#decide(first === OPEN_LIST || first === OPEN_OBJECT);
    } else yield* this.#scan.feed(chunk);
  }

  *end(): Iterable<ScanEvent> {
    if (this.#scan === undefined) yield* this.#decide(false);
    if (this.#scan !== undefined) yield* this.#scan.end();
  }

  *#decide(isJson: boolean): Iterable<ScanEvent> {
    const scan = this.#start(isJson);
    this.#scan = scan;
    for (const chunk of this.#blanks) yield* scan.feed(chunk);
    this.#blanks = [];
  }

  get chain(): readonly bigint[] {
    return this.#scan?.chain ?? [];
  }

  get count(): number {
    return this.#scan?.count ?? 0;
  }

  get itemBytes(): number {
    return this.#scan?.itemBytes ?? 0;
  }

  get found(): LocatedItems {
    return this.#scan?.found ?? 'list';
  }

  get itemsDigest(): bigint | undefined {
    return this.#scan?.itemsDigest;
  }

  captured(index: number): CapturedText {
    return this.#scan?.captured(index) ?? noValue;
  }

  pathMiss(): Pick<CapturedText, 'beside' | 'depth'> {
    return this.#scan?.pathMiss() ?? noValue;
  }

  dispose(): void {
    this.#scan?.dispose();
  }
}
