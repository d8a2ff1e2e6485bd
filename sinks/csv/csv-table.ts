/** Turns the items of a data type into rows of CSV, whose columns grow. */
import { afterComma, CLOSE_OBJECT, OPEN_OBJECT } from '../../src/core/json/byte-steps.js';
import { type Exact, ExactNumber, isArray } from '../../src/core/json/exact.js';
import { type Items, startOf } from '../../src/core/model/batch.js';
import { asBuffer } from '../../src/core/util/as-buffer.js';
import { createBytes, type GrowingBytes } from '../growing-bytes.js';
import { type CellOptions, type Cells, CR, createCells, LF, readRow } from './csv-cells.js';
import { type Columns, createColumns } from './csv-columns.js';

export interface TableOptions extends CellOptions {
  readonly isFlat: boolean;
  readonly hasMark: boolean;
}

/** Rows with the same number of columns: where they begin in the file, and how many items are before them. */
export interface TableSegment {
  readonly at: number;
  readonly items: number;
  readonly columns: number;
}

/** The end of a table. */
export interface TableEnd {
  readonly columns: number;
  readonly segments: number;
  /** Of the file. */
  readonly bytes: number;
  readonly items: number;
  readonly itemBytes: number;
  /** Rows without a byte: their only cell is empty. */
  readonly blanks: number;
}

export const noTable: TableEnd = { columns: 0, segments: 0, bytes: 0, items: 0, itemBytes: 0, blanks: 0 };

/**
 * The file begins with the columns of the first batch. Rows after a new column have more cells: `padding` says what the
 * final file needs.
 */
export interface CsvTable {
  /** The rows of the items, with the header before the first. */
  encode(items: Items): Uint8Array;
  end(): TableEnd;
  /** Forgets what came after an end. */
  cut(end: TableEnd): void;
  /** The final header, with its byte order mark. */
  header(): Buffer;
  names(): readonly string[];
  segments(): readonly TableSegment[];
  /** The members of a checkpoint; the columns of the header are in the file. */
  endAsExact(): ReadonlyMap<string, Exact>;
  /** Continues after `endAsExact`; `start` is the beginning of the file, with its header. False: they do not agree. */
  restore(end: ReadonlyMap<string, Exact>, start: Buffer): boolean;
}

/** Creates an empty table. */
export const createTable = (dataType: string, options: TableOptions): CsvTable => new GrowingTable(dataType, options);

class GrowingTable implements CsvTable {
  readonly #options: TableOptions;
  readonly #columns: Columns;
  readonly #cells: Cells;
  readonly #segments: TableSegment[] = [];
  #end = noTable;

  constructor(dataType: string, options: TableOptions) {
    this.#options = options;
    this.#columns = createColumns(dataType, options.isFlat);
    this.#cells = createCells(options);
  }

  encode(items: Items): Uint8Array {
    const out = this.#end.items === 0 ? this.#startWith(items) : createBytes(items.bytes.length);
    const blanks = this.#writeRows(items, this.#end.bytes, out);
    const { bytes, items: before, itemBytes } = this.#end;
    this.#end = {
      columns: this.#columns.count(),
      segments: this.#segments.length,
      bytes: bytes + out.length,
      items: before + items.count,
      itemBytes: itemBytes + items.bytes.length,
      blanks: this.#end.blanks + blanks,
    };
    return out.take();
  }

  end(): TableEnd {
    return this.#end;
  }

  cut(end: TableEnd): void {
    this.#columns.keep(end.columns);
    this.#segments.length = end.segments;
    this.#end = end;
  }

  header(): Buffer {
    const out = createBytes(1024);
    if (this.#options.hasMark) out.copy(mark, 0, mark.length);
    for (const [index, name] of this.#columns.names().entries()) {
      if (index > 0) out.byte(this.#options.delimiter);
      this.#cells.writeText(name, out);
    }
    out.byte(CR);
    out.byte(LF);
    return out.take();
  }

  names(): readonly string[] {
    return this.#columns.names();
  }

  segments(): readonly TableSegment[] {
    return this.#segments;
  }

  endAsExact(): ReadonlyMap<string, Exact> {
    const { bytes, items, itemBytes, blanks } = this.#end;
    const segments = this.#segments.map(({ at, items: before, columns }) => [at, before, columns].map(exact));
    return new Map<string, Exact>([
      ['counts', [bytes, items, itemBytes, blanks].map(exact)],
      ['segments', segments],
      ['later', this.#columns.names().slice(this.#segments[0]?.columns ?? 0)],
    ]);
  }

  restore(given: ReadonlyMap<string, Exact>, start: Buffer): boolean {
    const found = endFrom(given);
    if (found === undefined) return false;
    const { hasMark } = this.#options;
    const inFile = found.end.items === 0 ? [] : readRow(start, hasMark ? mark.length : 0, this.#options);
    const names = [...inFile.slice(0, found.segments[0]?.columns ?? 0), ...found.later];
    this.#columns.restore(names);
    this.#segments.push(...found.segments);
    this.#end = found.end;
    return names.length === found.end.columns;
  }

  /** The header, with all columns of the first batch. */
  #startWith(items: Items): GrowingBytes {
    const source = asBuffer(items.bytes);
    for (let index = 0; index < items.count; index++) this.#columns.read(source, startOf(items, index));
    const header = this.header();
    const out = createBytes(header.length + items.bytes.length);
    out.copy(header, 0, header.length);
    return out;
  }

  /** Writes all rows after `start` bytes; a new column begins a segment. Returns the number of blank ones. */
  #writeRows(items: Items, start: number, out: GrowingBytes): number {
    const source = asBuffer(items.bytes);
    let blanks = 0;
    for (let index = 0; index < items.count; index++) {
      const at = startOf(items, index);
      if (this.#writeInOrder(source, at, out)) continue;
      this.#columns.read(source, at);
      const columns = this.#columns.count();
      if (columns !== this.#segments.at(-1)?.columns) {
        this.#segments.push({ at: start + out.length, items: this.#end.items + index, columns });
      }
      if (!this.#writeRow(source, columns, out)) blanks += 1;
    }
    return blanks;
  }

  /**
   * Writes an item whose members are columns, in the order of the columns, in one pass; some may be missing. Returns
   * false, and writes nothing, for any other.
   */
  #writeInOrder(source: Buffer, from: number, out: GrowingBytes): boolean {
    const columns = this.#columns;
    const count = columns.count();
    if (this.#options.isFlat || count < 2 || this.#segments.length === 0 || source[from] !== OPEN_OBJECT) return false;
    const start = out.length;
    let next = from + 1;
    for (let column = 0; column < count; column++) {
      if (column > 0) out.byte(this.#options.delimiter);
      const value = columns.valueAfterName(column, source, next);
      if (value >= 0) next = afterComma(source, this.#cells.writeNext(source, value, out));
    }
    if (source[next] !== CLOSE_OBJECT) {
      out.end(start);
      return false;
    }
    out.byte(CR);
    out.byte(LF);
    return true;
  }

  /** Returns false for a row without a byte. */
  #writeRow(source: Buffer, count: number, out: GrowingBytes): boolean {
    const start = out.length;
    for (let column = 0; column < count; column++) {
      if (column > 0) out.byte(this.#options.delimiter);
      const from = this.#columns.start(column);
      if (from >= 0) this.#cells.writeNext(source, from, out);
    }
    const isFilled = out.length > start;
    out.byte(CR);
    out.byte(LF);
    return isFilled;
  }
}

/** U+FEFF in UTF-8. */
const mark = Buffer.from('\ufeff');

const exact = (number: number): Exact => new ExactNumber(String(number));

const numbersIn = (value: Exact | undefined): readonly number[] =>
  isArray(value) ? value.map((each) => Number(String(each))) : [];

function endFrom(value: ReadonlyMap<string, Exact>) {
  const [bytes, items, itemBytes, blanks] = numbersIn(value.get('counts'));
  const [given, later] = [value.get('segments'), value.get('later')];
  const segments = (isArray(given) ? given : []).map((each): TableSegment => {
    const [at = Number.NaN, before = Number.NaN, columns = Number.NaN] = numbersIn(each);
    return { at, items: before, columns };
  });
  const names = (isArray(later) ? later : []).map(String);
  if (bytes === undefined || items === undefined || itemBytes === undefined || blanks === undefined) return undefined;
  const columns = segments.at(-1)?.columns ?? 0;
  return { segments, later: names, end: { columns, segments: segments.length, bytes, items, itemBytes, blanks } };
}
