/** The least and greatest value of a column in a row group: readers skip groups that cannot have what they look for. */

export interface Bounds {
  readonly min: Buffer;
  readonly max: Buffer;
}

/** Longer texts are no bounds. */
const mostBytes = 64;

/** Bounds of texts, in the order of their bytes. */
export class TextBounds {
  #min: Buffer | undefined;
  #max: Buffer | undefined;
  #isKnown = true;

  add(source: Buffer, from: number, to: number): void {
    if (!this.#isKnown) return;
    if (to - from > mostBytes) this.#isKnown = false;
    else if (this.#min === undefined || this.#max === undefined) {
      this.#min = this.#max = Buffer.from(source.subarray(from, to));
    } else if (order(source, from, to, this.#min) < 0) this.#min = Buffer.from(source.subarray(from, to));
    else if (order(source, from, to, this.#max) > 0) this.#max = Buffer.from(source.subarray(from, to));
  }

  take(): Bounds | undefined {
    const [min, max] = [this.#min, this.#max];
    const found = this.#isKnown && min !== undefined && max !== undefined ? { min, max } : undefined;
    this.#min = this.#max = undefined;
    this.#isKnown = true;
    return found;
  }
}

/** The order of two texts: less than 0, 0, or more. */
function order(source: Buffer, from: number, to: number, other: Buffer): number {
  const end = Math.min(to - from, other.length);
  for (let at = 0; at < end; at++) {
    const difference = (source[from + at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return to - from - other.length;
}

/** Bounds of numbers. `encode`: their bytes in the file. */
export class NumberBounds {
  #min: number | bigint | undefined;
  #max: number | bigint | undefined;
  readonly #encode: (value: number | bigint) => Buffer;

  constructor(encode: (value: number | bigint) => Buffer) {
    this.#encode = encode;
  }

  add(value: number | bigint): void {
    if (this.#min === undefined || value < this.#min) this.#min = value;
    if (this.#max === undefined || value > this.#max) this.#max = value;
  }

  take(): Bounds | undefined {
    const [min, max] = [this.#min, this.#max];
    this.#min = this.#max = undefined;
    if (min === undefined || max === undefined) return undefined;
    return { min: this.#encode(min), max: this.#encode(max) };
  }
}
