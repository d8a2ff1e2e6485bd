/** Decodes a JSON string in bytes into bytes. */
import { BACKSLASH, QUOTE } from '../../src/core/json/byte-steps.js';

/** A decoded text; its memory is used again for the next one. */
export class Unescaped {
  bytes: Buffer = Buffer.allocUnsafeSlow(1024);
  length = 0;
  readonly #onLoneSurrogate: () => void;

  /** `onLoneSurrogate`: called for half of a surrogate pair, which becomes U+FFFD. */
  constructor(onLoneSurrogate: () => void) {
    this.#onLoneSurrogate = onLoneSurrogate;
  }

  /** Decodes the valid string whose opening quote is at a position, and returns the position after it. */
  read(source: Buffer, from: number): number {
    this.length = 0;
    let at = from + 1;
    for (let byte = source[at] ?? QUOTE; byte !== QUOTE; byte = source[at] ?? QUOTE) {
      if (this.length + 4 > this.bytes.length) this.#grow();
      if (byte !== BACKSLASH) {
        this.bytes[this.length++] = byte;
        at += 1;
      } else if (source[at + 1] === letterU) at = this.#readUnit(source, at);
      else {
        this.bytes[this.length++] = shortEscapes[source[at + 1] ?? 0] ?? 0;
        at += 2;
      }
    }
    return at + 1;
  }

  /** The escape of a code unit, or of the two units of a pair. */
  #readUnit(source: Buffer, at: number): number {
    const unit = unitAt(source, at + 2);
    if (unit < 0xd800 || unit > 0xdfff) {
      this.length += this.bytes.write(String.fromCharCode(unit), this.length);
      return at + 6;
    }
    const isPair = unit < 0xdc00 && source[at + 6] === BACKSLASH && source[at + 7] === letterU;
    const second = isPair ? unitAt(source, at + 8) : 0;
    if (second >= 0xdc00 && second <= 0xdfff) {
      this.length += this.bytes.write(String.fromCharCode(unit, second), this.length);
      return at + 12;
    }
    this.#onLoneSurrogate();
    this.length += this.bytes.write('\ufffd', this.length);
    return at + 6;
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(this.bytes.length * 2);
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}

const letterU = 0x75;

/** RFC 8259, section 7: the bytes of escapes with one letter. */
const shortEscapes: readonly number[] = Object.assign(new Array<number>(128).fill(0), {
  34: 34,
  47: 47,
  92: 92,
  98: 8,
  102: 12,
  110: 10,
  114: 13,
  116: 9,
});

const unitAt = (source: Buffer, from: number): number => Number.parseInt(source.toString('latin1', from, from + 4), 16);
