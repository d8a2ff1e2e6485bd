/** Passes text on to a format in valid UTF-8, whatever its encoding, without its byte-order mark. */
import { isUtf8 } from 'node:buffer';
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { EncodingName } from '../../core/model/response-format.js';
import { asBuffer } from '../../core/util/as-buffer.js';
import type { CapturedText } from '../scanner/scanner.js';
import { findInvalid, wholeLength } from '../scanner/utf8.js';
import type { Converter } from './body-format.js';

/** Turns the bytes of an encoding into UTF-8; undefined at the end of the body. Throws for bytes that are no text. */
type Decode = (bytes: Uint8Array | undefined) => Uint8Array;

/** What the first bytes say about the encoding; undefined: more of them are needed, unless the body ends. */
export type Detect = (first: Buffer, isAll: boolean) => EncodingName | undefined;

/** By the byte-order mark; otherwise UTF-8. */
export const detectByMark: Detect = (first, isAll) => {
  if (first.length < 3 && !isAll) return undefined;
  return markedEncoding(first) ?? 'utf-8';
};

export function markedEncoding(first: Buffer): EncodingName | undefined {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
  return first[0] === 0xfe && first[1] === 0xff ? 'utf-16be' : undefined;
}

const nothing = Buffer.alloc(0);

export class TextInput implements Converter {
  readonly #inner: Converter;
  readonly #given: EncodingName | undefined;
  readonly #detect: Detect;
  #decode: Decode | undefined;
  /** The first bytes, while the encoding is not known. */
  #first: Buffer = nothing;
  /** A chunk that was decoded, and how much of it the format has. */
  #text: Uint8Array | undefined;
  #at = 0;
  /** Comes after the text before it. */
  #fault: ExtractError | undefined;

  constructor(inner: Converter, given: EncodingName | undefined, detect: Detect) {
    this.#inner = inner;
    this.#given = given;
    this.#detect = detect;
  }

  push(chunk: Uint8Array, from: number): number {
    this.#text ??= this.#begin(chunk, false);
    if (!this.#pass(this.#text)) return from;
    this.#text = undefined;
    if (this.#fault !== undefined) throw this.#placed(this.#fault);
    return chunk.length;
  }

  end(): void {
    const rest = this.#begin(nothing, true);
    while (!this.#pass(rest));
    if (this.#fault !== undefined) throw this.#placed(this.#fault);
    const last = this.#take(() => this.#decode?.(undefined));
    while (!this.#pass(last));
    if (this.#fault !== undefined) throw this.#placed(this.#fault);
    this.#inner.end();
  }

  place(): string {
    return this.#inner.place();
  }

  captured(index: number): CapturedText {
    return this.#inner.captured?.(index) ?? { json: undefined, beside: [], depth: 0 };
  }

  hasPlace(): boolean {
    return this.#inner.hasPlace?.() ?? true;
  }

  pathMiss(): Pick<CapturedText, 'beside' | 'depth'> {
    return this.#inner.pathMiss?.() ?? { beside: [], depth: 0 };
  }

  /** Passes on what the format has not taken. Returns whether it has all of it now. */
  #pass(text: Uint8Array): boolean {
    if (this.#at < text.length) this.#at = this.#inner.push(text, this.#at);
    if (this.#at < text.length) return false;
    this.#at = 0;
    return true;
  }

  #begin(chunk: Uint8Array, isAll: boolean): Uint8Array {
    if (this.#decode !== undefined) return this.#take(() => this.#decode?.(chunk));
    this.#first = Buffer.concat([this.#first, chunk]);
    const encoding = this.#detect(this.#first, isAll);
    if (encoding === undefined) return nothing;
    const known = this.#given === 'utf-16' ? (markedEncoding(this.#first) ?? 'utf-16le') : (this.#given ?? encoding);
    const decode = decoderOf(known);
    this.#decode = decode;
    const first = this.#first;
    this.#first = nothing;
    return this.#take(() => decode(withoutMark(first, known)));
  }

  /** The text of a chunk, up to a fault. */
  #take(decode: () => Uint8Array | undefined): Uint8Array {
    try {
      return decode() ?? nothing;
    } catch (thrown) {
      if (!(thrown instanceof TextFault)) throw asExtractError(thrown);
      this.#fault = new ExtractError('ERR_UTF8', thrown.message);
      return thrown.before;
    }
  }

  #placed(error: ExtractError): ExtractError {
    return new ExtractError(error.code, `${error.message} at ${this.#inner.place()}`);
  }
}

function withoutMark(first: Buffer, encoding: EncodingName): Buffer {
  if (encoding === 'utf-8')
    return first[0] === 0xef && first[1] === 0xbb && first[2] === 0xbf ? first.subarray(3) : first;
  return encoding.startsWith('utf-16') && markedEncoding(first) === encoding ? first.subarray(2) : first;
}

/** Bytes that are no text, after valid text. */
class TextFault extends Error {
  readonly before: Uint8Array;

  constructor(message: string, before: Uint8Array) {
    super(message);
    this.before = before;
  }
}

function decoderOf(encoding: EncodingName): Decode {
  if (encoding === 'utf-8') return utf8Decoder();
  if (encoding === 'latin1') {
    return (bytes) => (bytes === undefined ? nothing : Buffer.from(asBuffer(bytes).toString('latin1')));
  }
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  return (bytes) => {
    try {
      return Buffer.from(bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
    } catch {
      throw new TextFault(`invalid ${encoding.toUpperCase()}`, nothing);
    }
  };
}

/** Chunks end within characters: the rest of one comes before the next chunk. */
function utf8Decoder(): Decode {
  let carry: Uint8Array = nothing;
  return (bytes) => {
    if (bytes === undefined) {
      if (carry.length > 0) throw new TextFault('invalid UTF-8', nothing);
      return nothing;
    }
    const whole = carry.length === 0 ? bytes : Buffer.concat([carry, bytes]);
    const length = wholeLength(whole);
    const text = whole.subarray(0, length);
    carry = length === whole.length ? nothing : new Uint8Array(whole.subarray(length));
    if (isUtf8(text)) return text;
    throw new TextFault('invalid UTF-8', text.subarray(0, findInvalid(text)));
  };
}
