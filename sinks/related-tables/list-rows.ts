/**
 * Takes lists out of items and makes rows of their elements, from the bytes of a batch. A row has the key of its item,
 * the places of the elements that it is in, and the members of its own element. docs/15-tables.md#lists.
 */
import { createHash } from 'node:crypto';
import { ExtractError } from '../../src/core/errors/errors.js';
import {
  afterComma,
  afterValue,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
} from '../../src/core/json/byte-steps.js';
import { type Batch, type Items, startOf } from '../../src/core/model/batch.js';
import { type ListRules, referenceName, rowId } from '../../src/core/tables/list-rules.js';
import { asBuffer } from '../../src/core/util/as-buffer.js';
import { LF } from '../csv/csv-cells.js';
import { atItems } from '../errors.js';
import { type BytePool, createBytes, type GrowingBytes } from '../growing-bytes.js';
import {
  createRowTables,
  type ListItems,
  type ListPlace,
  type ListTable,
  type OpenTable,
  type RowMember,
  type RowSource,
  type RowTables,
} from './row-tables.js';

export interface SplitterOptions {
  /** The data type of the items. */
  readonly dataType: string;
  readonly rules: ListRules;
  /** Paths of members that identify an item; none: it gets an id, the hash of its place and content. */
  readonly keys: readonly (readonly string[])[];
  /** The rows of earlier runs stay, so ids differ between runs. */
  readonly isAppending: boolean;
  /** Each item begins its rows in a table with one without an element: those of its key before it do not count. */
  readonly isMarked: boolean;
  /** Called for each table. Throws ERR_SINK if another one has its name. */
  readonly onTable: (table: ListTable) => void;
  /** The name of a table for the names on the way to its list, joined; absent: these. */
  readonly nameOf?: (joined: string) => string;
  /** Has the memory of the batches; absent: each has its own. */
  readonly pool?: BytePool | undefined;
}

/** A batch as rows of several tables. */
export interface SplitBatch {
  readonly items: Items;
  /** The indexes of these items in the batch; absent: it has no others. */
  readonly kept?: readonly number[];
  /** The items that are left out: they have lists, and no key. */
  readonly keyless: readonly number[];
  readonly lists: readonly ListItems[];
}

/** Splits the batches of a data type. */
export interface ListSplitter {
  /** The columns that refer to an item. */
  readonly reference: readonly string[];
  readonly tables: ReadonlyMap<string, ListTable>;
  /** The paths of all lists that were seen, tables or not. */
  readonly paths: ReadonlySet<string>;
  /** Throws ERR_SINK with the place of an item in which a table or a column has the name of another one. */
  split(batch: Batch): SplitBatch;
  /** Adds the tables of an earlier process. */
  restore(places: readonly ListPlace[]): void;
}

export const createListSplitter = (options: SplitterOptions): ListSplitter => new Splitter(options);

interface FoundList {
  readonly table: OpenTable;
  readonly from: number;
}

/** The beginning of rows without its last comma: a part of some bytes. */
interface Prefix {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

class Splitter implements ListSplitter {
  readonly reference: readonly string[];
  readonly #options: SplitterOptions;
  readonly #rows: RowTables;
  readonly #labels: readonly Buffer[];
  /** Where the values of the key are in the current item; `from` is -1 without a value. */
  readonly #keys: { from: number; to: number }[];
  /** The lists of the current row, after those of the rows around it. */
  readonly #found: FoundList[] = [];
  #source: Buffer = Buffer.alloc(0);
  /** What comes before is copied, or left out. */
  #from = 0;
  /** The object that was read last has had lists only, all of them tables. */
  #isEmptied = false;
  /** With its quotes. */
  #id: Buffer = Buffer.alloc(0);

  constructor(options: SplitterOptions) {
    const { dataType, keys, rules, onTable, nameOf, pool } = options;
    this.#options = options;
    const hasId = keys.length === 0;
    this.reference = (hasId ? [[rowId]] : keys).map((path) => referenceName(dataType, path));
    this.#labels = this.reference.map((name) => Buffer.from(`${JSON.stringify(name)}:`));
    this.#rows = createRowTables({ dataType, rules, reference: this.reference, hasId, onTable, nameOf, pool });
    this.#keys = keys.map(() => ({ from: -1, to: -1 }));
    const { members } = this.#rows.items;
    for (const [index, path] of keys.entries()) {
      path.reduce((parent, name) => members.named(parent, name), members.root).keyIndex = index;
    }
  }

  get tables(): ReadonlyMap<string, ListTable> {
    return this.#rows.tables;
  }

  get paths(): ReadonlySet<string> {
    return this.#rows.paths;
  }

  restore(places: readonly ListPlace[]): void {
    for (const place of places) this.#rows.restore(place);
  }

  split(batch: Batch): SplitBatch {
    this.#source = asBuffer(batch.bytes);
    const size = this.#source.length + (this.#keys.length === 0 ? idBytes * batch.count : 0);
    const out = createBytes(size, this.#options.pool);
    const ends = [0];
    const kept: number[] = [];
    const keyless: number[] = [];
    for (let index = 0; index < batch.count; index++) {
      const start = out.length;
      if (this.#splitItem(batch, index, out)) {
        kept.push(index);
        ends.push(out.length);
      } else {
        keyless.push(index);
        out.end(start);
      }
    }
    return {
      items: { bytes: out.take(), offsets: Uint32Array.from(ends), count: kept.length },
      ...(keyless.length === 0 ? {} : { kept }),
      keyless,
      lists: this.#rows.take(),
    };
  }

  /** False: the item has lists, and no key. */
  #splitItem(batch: Batch, index: number, out: GrowingBytes): boolean {
    try {
      this.#writeItem(batch, index, out);
      return this.#writeLists(index);
    } catch (thrown) {
      this.#rows.take();
      throw thrown instanceof ExtractError ? atItems(thrown, batch, index) : thrown;
    }
  }

  /** Writes an item without its lists, and notes these. */
  #writeItem(batch: Batch, index: number, out: GrowingBytes): void {
    const from = startOf(batch, index);
    this.#found.length = 0;
    for (const key of this.#keys) key.from = -1;
    const hasId = this.#keys.length === 0;
    if (!hasId && this.#source[from] !== OPEN_OBJECT && this.#source[from] !== OPEN_LIST) {
      out.copy(this.#source, from, startOf(batch, index + 1));
      return;
    }
    out.byte(OPEN_OBJECT);
    if (hasId) {
      this.#id = Buffer.from(`"${this.#idOf(batch, index)}"`);
      out.copy(idLabel, 0, idLabel.length);
      out.copy(this.#id, 0, this.#id.length);
      out.byte(COMMA);
    }
    this.#writeMembers(from, this.#rows.items, out);
    out.replaceComma(CLOSE_OBJECT);
    out.byte(LF);
  }

  /** The hash of the place and the content of an item; where the rows of earlier runs stay, of the run too. */
  #idOf({ run, walk, page, offset, ...items }: Batch, index: number): string {
    const place = `${this.#options.isAppending ? `${run}/` : ''}${walk}/${page}/${offset + index}\n`;
    const [from, to] = [startOf(items, index), startOf(items, index + 1) - 1];
    return createHash('md5').update(place).update(this.#source.subarray(from, to)).digest('hex');
  }

  /** Writes what a row has of a value, and notes its lists. Returns the position after the value. */
  #writeMembers(from: number, row: RowSource, out: GrowingBytes): number {
    const source = this.#source;
    const base = this.#found.length;
    if (source[from] === OPEN_OBJECT) {
      this.#from = from + 1;
      const end = this.#readObject(from, { row, out, base }, row.members.root);
      out.copy(source, this.#from, end - 1);
      return end;
    }
    const end = afterValue(source, from);
    const member = row.members.named(row.members.root, 'value');
    if (!member.isFree) this.#rows.mustBeFree(row, member);
    if (source[from] !== OPEN_LIST || !this.#isNoted(member, from, { row, out, base })) {
      out.copy(valueLabel, 0, valueLabel.length);
      out.copy(source, from, end);
    }
    return end;
  }

  /** Copies what stays of an object, but for its last part. Returns the position after it. */
  #readObject(from: number, reading: Reading, parent: RowMember): number {
    const source = this.#source;
    const { row, out } = reading;
    const { members } = row;
    let isFirst = true;
    let at = from + 1;
    while (source[at] !== CLOSE_OBJECT) {
      const start = at;
      const member = members.memberAt(source, at, parent);
      const { value } = members;
      if (!member.isFree) this.#rows.mustBeFree(row, member);
      const first = source[value];
      const [length, copied] = [out.length, this.#from];
      const end = first === OPEN_OBJECT ? this.#readObject(value, reading, member) : afterValue(source, value);
      at = afterComma(source, end);
      if (first === OPEN_OBJECT ? this.#isEmptied : first === OPEN_LIST && this.#isNoted(member, value, reading)) {
        out.end(length);
        out.copy(source, copied, isFirst ? start : start - 1);
        this.#from = isFirst ? at : end;
        continue;
      }
      isFirst = false;
      if (member.keyIndex >= 0) this.#noteKey(member.keyIndex, value, end);
      if (typeof member.list === 'object') this.#forget(member.list, reading.base);
    }
    this.#isEmptied = isFirst && at > from + 1;
    return at + 1;
  }

  /** Notes a list that is a table. Of several members with one name the last one counts. */
  #isNoted(member: RowMember, from: number, { row, base }: Reading): boolean {
    const table = this.#rows.listOf(row, member);
    if (table === 'json') return false;
    this.#forget(table, base);
    this.#found.push({ table, from });
    return true;
  }

  #forget(table: OpenTable, base: number): void {
    for (let at = base; at < this.#found.length; at++) if (this.#found[at]?.table === table) this.#found.splice(at, 1);
  }

  #noteKey(index: number, from: number, to: number): void {
    const key = this.#keys[index];
    const first = this.#source[from];
    const isValue = first !== letterN && first !== OPEN_LIST && first !== OPEN_OBJECT;
    if (key !== undefined) Object.assign(key, { from: isValue ? from : -1, to });
  }

  /** Writes the rows of all lists of an item. False: it has some, and lacks a value of its key. */
  #writeLists(index: number): boolean {
    const { isMarked } = this.#options;
    const isKeyed = this.#keys.every(({ from }) => from >= 0);
    if (this.#found.length > 0 && !isKeyed) return false;
    if (this.#found.length === 0 && !(isMarked && isKeyed)) return true;
    const prefix = this.#prefix();
    if (isMarked) for (const table of this.#rows.tables.values()) if (table.hasRows) writeMark(table, prefix, index);
    this.#writeFound(0, prefix, index);
    return true;
  }

  /** The reference to the current item. */
  #prefix(): Prefix {
    const bytes = createBytes(256);
    for (const [at, label] of this.#labels.entries()) {
      const key = this.#keys[at];
      bytes.copy(label, 0, label.length);
      if (key === undefined) bytes.copy(this.#id, 0, this.#id.length);
      else bytes.copy(this.#source, key.from, key.to);
      bytes.byte(COMMA);
    }
    return { bytes: bytes.room(0), from: 0, to: bytes.length - 1 };
  }

  /** Writes the rows of the lists that were noted from `base` on, and forgets them. */
  #writeFound(base: number, prefix: Prefix, index: number): void {
    for (let at = base; at < this.#found.length; at++) {
      const found = this.#found[at];
      if (found !== undefined) this.#writeRows(found, prefix, index);
    }
    this.#found.length = base;
  }

  #writeRows({ table, from }: FoundList, prefix: Prefix, index: number): void {
    const source = this.#source;
    const { rows, label } = table;
    let at = from + 1;
    for (let position = 0; source[at] !== CLOSE_LIST; position++) {
      table.hasRows = true;
      const start = beginRow(table, prefix);
      rows.copy(label, 0, label.length);
      writeWhole(position, rows);
      const to = rows.length;
      rows.byte(COMMA);
      const base = this.#found.length;
      at = afterComma(source, this.#writeMembers(at, table, rows));
      endRow(table, index);
      // The rows of these lists are in other tables, so the bytes stay where they are.
      if (this.#found.length > base) this.#writeFound(base, { bytes: rows.room(0), from: start, to }, index);
    }
  }
}

/** What is read: a row, where it is written, and the first of its lists among those that were found. */
interface Reading {
  readonly row: RowSource;
  readonly out: GrowingBytes;
  readonly base: number;
}

/** Returns the position of its first member. */
function beginRow({ rows }: OpenTable, { bytes, from, to }: Prefix): number {
  rows.byte(OPEN_OBJECT);
  const start = rows.length;
  rows.copy(bytes, from, to);
  rows.byte(COMMA);
  return start;
}

function endRow({ rows, ends, itemOf }: OpenTable, index: number): void {
  rows.replaceComma(CLOSE_OBJECT);
  rows.byte(LF);
  ends.push(rows.length);
  itemOf.push(index);
}

function writeMark(table: OpenTable, prefix: Prefix, index: number): void {
  beginRow(table, prefix);
  endRow(table, index);
}

function writeWhole(value: number, out: GrowingBytes): void {
  if (value > 9) writeWhole(Math.floor(value / 10), out);
  out.byte(zero + (value % 10));
}

const [zero, letterN] = [0x30, 0x6e];
const idLabel = Buffer.from(`"${rowId}":`);
const valueLabel = Buffer.from('"value":');
/** An id with its label, quotes and comma. */
const idBytes = idLabel.length + 35;
