/** The values of one column in a row group: pages that are compressed as they fill up. */
import { createBytes, type GrowingBytes } from '../growing-bytes.js';
import { NumberBounds, TextBounds } from './bounds.js';
import type { Chunk, EncodedPage } from './chunk.js';
import { Dictionary, hashOf, larger, plainValues } from './dictionary.js';
import { bitsFor, writeBits, writeHybrid } from './hybrid.js';
import { dataPageHeader, dictionaryPageHeader, type PageSizes } from './metadata.js';
import { type LeafField, shortDigits } from './parquet-fields.js';

export type Compress = (bytes: Buffer) => Buffer | Promise<Buffer>;

/** A page is ended when its values have so many bytes, or there are so many. */
const pageBytes = 1024 * 1024;
const pageValues = 131_072;
/** A dictionary is given up if more than half of so many values are different. */
const trialValues = 2048;

/** The bytes of a value; 0: it has its length before it. */
const widthOf = ({ kind, precision }: LeafField): number => {
  if (kind === 'boolean') return 1;
  if (kind === 'text' || kind === 'json') return 0;
  if (kind === 'date') return 4;
  return kind === 'uuid' || (kind === 'decimal' && precision > shortDigits) ? 16 : 8;
};

export class ColumnWriter {
  readonly leaf: LeafField;
  readonly #compress: Compress;
  readonly #width: number;
  /** Its bounds are in the order of bytes. */
  readonly #hasTexts: boolean;
  readonly #texts = new TextBounds();
  readonly #numbers: NumberBounds;
  readonly #fixed: Buffer;
  readonly #view: DataView;
  #pages: Promise<EncodedPage>[] = [];
  /** How many pages refer to the dictionary. */
  #dictionaryPages = 0;
  #dictionary: Dictionary | undefined;
  #usesDictionary: boolean;
  #definitions = new Uint8Array(64);
  #repetitions = new Uint8Array(64);
  #entries = new Int32Array(64);
  #plain: GrowingBytes = createBytes(64);
  /** Of the page: levels, and values that are not null. */
  #levels = 0;
  #values = 0;
  /** Of the row group. */
  #allLevels = 0;
  #allValues = 0;

  constructor(leaf: LeafField, compress: Compress) {
    this.leaf = leaf;
    this.#compress = compress;
    this.#width = widthOf(leaf);
    this.#hasTexts = leaf.kind === 'text' || leaf.kind === 'uuid';
    this.#fixed = Buffer.alloc(this.#width);
    this.#view = new DataView(this.#fixed.buffer, this.#fixed.byteOffset, this.#width);
    this.#numbers = new NumberBounds((value) => {
      this.#encode(value);
      return Buffer.from(this.#fixed);
    });
    this.#usesDictionary = leaf.kind !== 'boolean';
  }

  /** Adds levels without a value. */
  addNull(repetition: number, definition: number): void {
    if (this.#levels === this.#definitions.length) this.#growLevels();
    this.#definitions[this.#levels] = definition;
    this.#repetitions[this.#levels] = repetition;
    this.#levels += 1;
  }

  /** Adds a text; `hash` is that of its bytes. */
  addText(repetition: number, source: Buffer, from: number, to: number, hash: number): void {
    this.addNull(repetition, this.leaf.defined);
    this.#put(source, from, to, hash);
  }

  addBoolean(repetition: number, isTrue: boolean): void {
    this.addNull(repetition, this.leaf.defined);
    this.#plain.byte(isTrue ? 1 : 0);
    this.#values += 1;
  }

  /** Adds a whole number, the unscaled value of a decimal, or a double. */
  addNumber(repetition: number, value: number | bigint): void {
    this.addNull(repetition, this.leaf.defined);
    this.#numbers.add(value);
    this.#encode(value);
    this.#put(this.#fixed, 0, this.#width, this.#usesDictionary ? hashOf(this.#fixed, 0, this.#width) : 0);
  }

  /** Ends the page if it is full. Returns a promise only if an earlier one must be compressed first. */
  mayEndPage(): Promise<unknown> | undefined {
    if (this.#plain.length < pageBytes && this.#levels < pageValues) return undefined;
    const before = this.#pages.at(-1);
    this.#endPage();
    return before;
  }

  /** Ends the row group. */
  async take(): Promise<Chunk> {
    if (this.#levels > 0) this.#endPage();
    const [values, nulls] = [this.#allLevels, this.#allLevels - this.#allValues];
    const bounds = this.#hasTexts ? this.#texts.take() : this.#numbers.take();
    const pages = await Promise.all(this.#pages);
    const dictionary = this.#dictionaryPages > 0 ? await this.#dictionaryPage() : undefined;
    this.#pages = [];
    this.#dictionaryPages = this.#allLevels = this.#allValues = 0;
    this.#dictionary = undefined;
    return { dictionary, pages, values, nulls, bounds };
  }

  #put(source: Buffer, from: number, to: number, hash: number): void {
    if (this.#usesDictionary) {
      this.#putPlace(source, from, to, hash);
      return;
    }
    if (this.#hasTexts) this.#texts.add(source, from, to);
    if (this.#width === 0) writeLength(to - from, this.#plain);
    this.#plain.copy(source, from, to);
    this.#values += 1;
  }

  #putPlace(source: Buffer, from: number, to: number, hash: number): void {
    this.#dictionary ??= new Dictionary(this.#width === 0 ? 4 : 0);
    const dictionary = this.#dictionary;
    const place = dictionary.place(source, from, to, hash);
    if (this.#values === this.#entries.length) this.#entries = larger(this.#entries);
    this.#entries[this.#values] = place;
    this.#values += 1;
    if (this.#hasTexts) this.#texts.add(source, from, to);
    const isTrial = this.#allValues + this.#values === trialValues;
    if (dictionary.isFull() || (isTrial && dictionary.count * 2 > trialValues)) this.#giveUp(dictionary);
  }

  /** Writes the values of this page, and all later ones, as they are. */
  #giveUp(dictionary: Dictionary): void {
    this.#plain = plainValues(dictionary, this.#entries, this.#values);
    this.#usesDictionary = false;
    this.#entries = new Int32Array(64);
  }

  #encode(value: number | bigint): void {
    if (this.leaf.kind === 'double') this.#view.setFloat64(0, Number(value), true);
    else if (this.#width === 4) this.#view.setInt32(0, Number(value), true);
    else if (this.#width === 16) {
      const whole = BigInt(value);
      this.#view.setBigInt64(0, whole >> 64n);
      this.#view.setBigUint64(8, BigInt.asUintN(64, whole));
    } else if (typeof value === 'bigint') this.#view.setBigInt64(0, value, true);
    else {
      const high = Math.floor(value / 2 ** 32);
      this.#view.setUint32(0, value - high * 2 ** 32, true);
      this.#view.setInt32(4, high, true);
    }
  }

  #endPage(): void {
    const body = createBytes(this.#levels + this.#plain.length + 64);
    const { repeated, defined } = this.leaf;
    if (repeated > 0) writeLevels(this.#repetitions, this.#levels, repeated, body);
    writeLevels(this.#definitions, this.#levels, defined, body);
    this.#writeValues(body);
    const usesDictionary = this.#usesDictionary && this.#dictionary !== undefined;
    if (usesDictionary) this.#dictionaryPages += 1;
    const count = this.#levels;
    const page = this.#compressed(body.take(), (sizes) => dataPageHeader({ ...sizes, count, usesDictionary }));
    page.catch(() => {}); // It is awaited later.
    this.#pages.push(page);
    this.#allLevels += this.#levels;
    this.#allValues += this.#values;
    this.#levels = this.#values = 0;
    this.#plain.end(0);
  }

  #writeValues(body: GrowingBytes): void {
    const plain = this.#plain.take();
    const dictionary = this.#usesDictionary ? this.#dictionary : undefined;
    if (dictionary !== undefined) {
      const bits = Math.max(1, bitsFor(dictionary.count - 1));
      body.byte(bits);
      writeHybrid(this.#entries, this.#values, bits, body);
    } else if (this.leaf.kind === 'boolean') writeBits(plain, 0, plain.length, 1, body);
    else body.copy(plain, 0, plain.length);
  }

  async #dictionaryPage(): Promise<EncodedPage | undefined> {
    const count = this.#dictionary?.count ?? 0;
    const body = this.#dictionary?.take() ?? Buffer.alloc(0);
    return this.#compressed(body, (sizes) => dictionaryPageHeader({ ...sizes, count }));
  }

  async #compressed(body: Buffer, headerOf: (sizes: PageSizes) => Buffer): Promise<EncodedPage> {
    const content = await this.#compress(body);
    const header = headerOf({ fullBytes: body.length, bytes: content.length });
    return { bytes: Buffer.concat([header, content]), fullBytes: header.length + body.length };
  }

  #growLevels(): void {
    const [definitions, repetitions] = [this.#definitions, this.#repetitions];
    this.#definitions = new Uint8Array(definitions.length * 2);
    this.#definitions.set(definitions);
    this.#repetitions = new Uint8Array(definitions.length * 2);
    this.#repetitions.set(repetitions);
  }
}

function writeLength(length: number, out: GrowingBytes): void {
  out.byte(length & 0xff);
  out.byte((length >>> 8) & 0xff);
  out.byte((length >>> 16) & 0xff);
  out.byte(length >>> 24);
}

/** Levels with their length before them. */
function writeLevels(levels: Uint8Array, count: number, most: number, out: GrowingBytes): void {
  const encoded = createBytes(64);
  writeHybrid(levels, count, bitsFor(most), encoded);
  writeLength(encoded.length, out);
  const bytes = encoded.take();
  out.copy(bytes, 0, bytes.length);
}
