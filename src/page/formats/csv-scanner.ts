/**
 * Scans CSV in UTF-8: bytes in, items of NDJSON out, without a string or an object for a cell.
 * docs/decisions/058-csv-and-xml-from-bytes.md.
 */
import { ExtractError } from '../../core/errors/errors.js';
import { usualDelimiter } from '../../core/model/response-format.js';
import type { Converter, FormatContext } from './body-format.js';
import { type ByteClasses, byteClasses, DELIMITER, escapes, LINE_END, QUOTE } from './csv-bytes.js';
import { type CsvColumns, columnsOf, columnsWithoutHeader } from './csv-header.js';
import type { ItemWriter } from './item-writer.js';

/** What the next byte belongs to. */
const BETWEEN_ROWS = 0;
const BEFORE_CELL = 1;
const IN_CELL = 2;
const IN_QUOTES = 3;
const AFTER_QUOTE = 4;

/** The longest escape of a byte, and the end of an item. */
const MOST_GROWTH = 6;
const END_BYTES = 16;

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** What comes before the cells of the first line, which becomes a list. */
const firstName = Buffer.from('["');
const nextName = Buffer.from('","');
const noBytes = new Uint8Array(0);

export class CsvScanner implements Converter {
  readonly #context: FormatContext;
  readonly #out: ItemWriter;
  readonly #quote: number;
  readonly #inCell: ByteClasses;
  readonly #inQuotes: ByteClasses;
  /** Undefined while the first line is read. */
  #columns: CsvColumns | undefined;
  #state = BETWEEN_ROWS;
  #column = 0;
  #line = 1;
  #quoteLine = 1;
  /** Of the chunk before. */
  #lastByte = 0;

  constructor(context: FormatContext) {
    const { options, out } = context;
    this.#context = context;
    this.#out = out;
    this.#columns = columnsWithoutHeader(options);
    this.#quote = options.quote === '' ? -1 : options.quote.charCodeAt(0);
    const { inCell, inQuotes } = byteClasses(options.delimiter ?? usualDelimiter, options.quote);
    this.#inCell = inCell;
    this.#inQuotes = inQuotes;
  }

  push(chunk: Uint8Array, from: number): number {
    const out = this.#out;
    out.reserve((chunk.length - from) * MOST_GROWTH + END_BYTES);
    let at = from;
    while (at < chunk.length) {
      if (this.#state === IN_CELL) at = this.#cell(chunk, at);
      else if (this.#state === BEFORE_CELL) at = this.#beginCell(chunk, at);
      else if (this.#state === IN_QUOTES) at = this.#quoted(chunk, at);
      else if (this.#state === AFTER_QUOTE) at = this.#afterQuote(chunk, at);
      else {
        if (out.isFull()) break;
        at = this.#beginRow(chunk, at);
      }
    }
    this.#checkSize();
    if (at === chunk.length) this.#lastByte = chunk[at - 1] ?? this.#lastByte;
    return at;
  }

  end(): void {
    this.#out.reserve(END_BYTES);
    if (this.#state === IN_QUOTES) {
      throw csvError(`the quote that is opened in line ${this.#quoteLine} is never closed`, this.place());
    }
    if (this.#state === BEFORE_CELL) this.#beginCell(noBytes, 0);
    if (this.#state !== BETWEEN_ROWS) this.#endRow();
  }

  /** Without a line there is no header. */
  hasPlace(): boolean {
    return this.#columns !== undefined || !this.#context.options.header;
  }

  place(): string {
    return this.#state === BETWEEN_ROWS ? `line ${this.#line}` : `line ${this.#line}, cell ${this.#column + 1}`;
  }

  /** Lines without a byte are no rows. */
  #beginRow(chunk: Uint8Array, at: number): number {
    const byte = chunk[at];
    if (byte === LINE_FEED || byte === RETURN) {
      this.#countLine(chunk, at);
      return at + 1;
    }
    this.#column = 0;
    this.#state = BEFORE_CELL;
    return at;
  }

  #beginCell(chunk: Uint8Array, at: number): number {
    const out = this.#out;
    const columns = this.#columns;
    const column = this.#column;
    if (columns === undefined)
      this.#copy(column === 0 ? firstName : nextName, 0, column === 0 ? 2 : 3, chunk.length - at);
    else {
      if (column >= columns.ends.length) throw this.#countError(`more than ${columns.ends.length}`);
      const start = column === 0 ? 0 : (columns.ends[column - 1] ?? 0);
      this.#copy(columns.bytes, start, columns.ends[column] ?? 0, chunk.length - at);
    }
    if (out.length - out.itemAt > this.#context.maxItemBytes) this.#checkSize();
    if (chunk[at] !== this.#quote) {
      this.#state = IN_CELL;
      return at;
    }
    this.#state = IN_QUOTES;
    this.#quoteLine = this.#line;
    return at + 1;
  }

  /** Copies what comes before a cell, and leaves room for so many bytes of a chunk. */
  #copy(bytes: Uint8Array, from: number, to: number, left: number): void {
    const out = this.#out;
    out.reserve(to - from + left * MOST_GROWTH + END_BYTES);
    const made = out.bytes;
    let length = out.length;
    for (let at = from; at < to; at++) made[length++] = bytes[at] ?? 0;
    out.length = length;
  }

  /** The bytes of a cell without quotes; a quote in it is a part of its text. */
  #cell(chunk: Uint8Array, from: number): number {
    const { bytes } = this.#out;
    const classes = this.#inCell;
    let { length } = this.#out;
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const kind = classes[byte];
      if (kind === 0) bytes[length++] = byte;
      else {
        this.#out.length = length;
        if (kind === DELIMITER || kind === LINE_END) return this.#endCell(chunk, at, kind);
        length = this.#escape(byte);
      }
    }
    this.#out.length = length;
    return at;
  }

  #quoted(chunk: Uint8Array, from: number): number {
    const { bytes } = this.#out;
    const classes = this.#inQuotes;
    let { length } = this.#out;
    let at = from;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      const kind = classes[byte];
      if (kind === 0) bytes[length++] = byte;
      else {
        this.#out.length = length;
        if (kind === QUOTE) {
          this.#state = AFTER_QUOTE;
          return at + 1;
        }
        if (byte === LINE_FEED || byte === RETURN) this.#countLine(chunk, at);
        length = this.#escape(byte);
      }
    }
    this.#out.length = length;
    return at;
  }

  /** Within quotes a quote is written twice; another one ends the cell. */
  #afterQuote(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] ?? 0;
    if (byte === this.#quote) {
      if (escapes[byte] === undefined) this.#out.bytes[this.#out.length++] = byte;
      else this.#escape(byte);
      this.#state = IN_QUOTES;
      return at + 1;
    }
    const kind = this.#inCell[byte];
    if (kind === DELIMITER || kind === LINE_END) return this.#endCell(chunk, at, kind);
    throw csvError('the closing quote of a cell is followed by another character than a delimiter', this.place());
  }

  #endCell(chunk: Uint8Array, at: number, kind: number): number {
    if (kind === DELIMITER) {
      this.#column += 1;
      this.#state = BEFORE_CELL;
    } else {
      this.#endRow();
      this.#countLine(chunk, at);
    }
    return at + 1;
  }

  /** Writes a byte as an escape of JSON. Returns the length then. */
  #escape(byte: number): number {
    const out = this.#out;
    const written = escapes[byte] ?? noBytes;
    if (byte === 0) throw csvError('a NUL; if the text is UTF-16, set `response.encoding`', this.place());
    for (let at = 0; at < written.length; at++) out.bytes[out.length++] = written[at] ?? 0;
    return out.length;
  }

  #endRow(): void {
    const out = this.#out;
    const columns = this.#columns;
    const cells = this.#column + 1;
    if (columns !== undefined && cells < columns.ends.length) throw this.#countError(String(cells));
    out.bytes[out.length++] = 0x22;
    if (columns === undefined) this.#readHeader();
    else {
      out.bytes[out.length++] = 0x7d;
      this.#checkSize();
      out.endItem();
    }
    this.#state = BETWEEN_ROWS;
  }

  /** The first line is an incomplete item so far: a list of texts. */
  #readHeader(): void {
    const out = this.#out;
    const text = Buffer.from(out.bytes.subarray(out.itemAt, out.length)).toString();
    const cells: readonly string[] = JSON.parse(`${text}]`); // texts, as they were written just now
    out.length = out.itemAt;
    const { options } = this.#context;
    const columns = columnsOf(cells, this.#line, this.#context);
    this.#columns = columns;
    if (options.header) return;
    const members = columns.names.map((name, at) => [name, cells[at]] as const);
    const item = Buffer.from(JSON.stringify(Object.fromEntries(members)));
    out.reserve(item.length + END_BYTES);
    out.bytes.set(item, out.length);
    out.length += item.length;
    out.endItem();
  }

  /** A line feed after a carriage return belongs to it. */
  #countLine(chunk: Uint8Array, at: number): void {
    const before = at === 0 ? this.#lastByte : chunk[at - 1];
    if (chunk[at] === RETURN || before !== RETURN) this.#line += 1;
  }

  #checkSize(): void {
    const { maxItemBytes } = this.#context;
    const out = this.#out;
    if (out.length - out.itemAt <= maxItemBytes) return;
    const open = this.#state === IN_QUOTES ? `; a quote is open since line ${this.#quoteLine}` : '';
    const message = `an item is larger than ${maxItemBytes} bytes at ${this.place()}${open}`;
    throw new ExtractError('ERR_ITEM_SIZE', message);
  }

  #countError(found: string): ExtractError {
    const expected = this.#columns?.ends.length ?? 0;
    return csvError(`a row has ${found} cells instead of ${expected}`, `line ${this.#line}`);
  }
}

const csvError = (message: string, place: string): ExtractError =>
  new ExtractError('ERR_CSV', `invalid CSV at ${place}: ${message}`);
