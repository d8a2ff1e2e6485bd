/** The part of a document that is looked at: the last chunk, after what is still needed of those before it. */
import { asBuffer } from '../../core/util/as-buffer.js';

const nothing = Buffer.alloc(0);

export class XmlWindow {
  bytes: Buffer = nothing;
  /** The next byte, and the end; what is behind the end is of no meaning. */
  at = 0;
  end = 0;
  /** Where an item begins that is needed until its end; -1: nothing before `at` is needed. */
  held = -1;
  /** Memory of its own, used again. */
  #own: Buffer = nothing;

  /** Adds a chunk, which stays as it is. Positions are others afterwards. */
  add(chunk: Uint8Array): void {
    const from = this.held < 0 ? this.at : this.held;
    const rest = this.end - from;
    const isOwn = this.bytes === this.#own;
    if (rest === 0) {
      this.bytes = asBuffer(chunk);
      this.end = chunk.length;
      this.#moved(from);
    } else if (isOwn && this.end + chunk.length <= this.#own.length) {
      this.#own.set(chunk, this.end);
      this.end += chunk.length;
    } else {
      const length = rest + chunk.length;
      const target = length <= this.#own.length ? this.#own : Buffer.allocUnsafeSlow(length * 2);
      this.bytes.copy(target, 0, from, this.end);
      target.set(chunk, rest);
      this.bytes = target;
      this.#own = target;
      this.end = length;
      this.#moved(from);
    }
  }

  #moved(by: number): void {
    this.at -= by;
    if (this.held >= 0) this.held = 0;
  }

  /** The place of a byte from a position on; -1: there is none. */
  find(byte: number, from: number): number {
    const found = this.bytes.indexOf(byte, from);
    return found < this.end ? found : -1;
  }

  /** The place of some bytes from `at` on; -1: there are none. */
  findAll(text: Buffer): number {
    const found = this.bytes.indexOf(text, this.at);
    return found + text.length <= this.end ? found : -1;
  }

  text(from: number, to: number): string {
    return this.bytes.toString('utf8', from, Math.min(to, this.end));
  }
}
