/** Writes items into the columns of a file: their values with levels, as the format nests them. */
import {
  afterComma,
  afterName,
  afterString,
  afterValue,
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  stringAt,
} from '../../src/core/json/byte-steps.js';
import { createBytes } from '../growing-bytes.js';
import { appendText } from '../json-escapes.js';
import { wellFormed, wellFormedJson } from '../lone-surrogates.js';
import { doubleOf } from '../tables/number-forms.js';
import { countedText, joinedForms, textForm, uuidBytes } from '../tables/text-forms.js';
import type { ColumnWriter } from './column.js';
import { hashOf, hashSeed, nextHash } from './dictionary.js';
import { BOOLEAN, LIST, NUMBER, OBJECT, scalarName, TEXT } from './item-shape.js';
import { EMPTY_OBJECT, type LeafField, type ListField, type ParquetField, type StructField } from './parquet-fields.js';
import { NumberReader } from './parquet-numbers.js';

/** What follows when an item does not fit. */
const NO_PLACE = -1;

export class RowWriter {
  readonly #root: StructField;
  readonly #columns: readonly ColumnWriter[];
  readonly #onLoneSurrogate: () => void;
  readonly #number = new NumberReader();
  /** A decoded text; its memory is used again for the next one. */
  readonly #decoded = createBytes(1024);
  readonly #uuid = Buffer.alloc(16);
  #objects = 0;

  constructor(root: StructField, columns: readonly ColumnWriter[], onLoneSurrogate: () => void) {
    this.#root = root;
    this.#columns = columns;
    this.#onLoneSurrogate = onLoneSurrogate;
  }

  /**
   * Writes the item that begins at a position, and returns the position after it. -1: it has a member or a value that
   * the columns cannot hold, or a member twice; the columns are not to be used any more.
   */
  write(source: Buffer, at: number): number {
    const root = this.#root;
    if (source[at] === OPEN_OBJECT) return this.#object(source, at, root, 0);
    const data = root.byName.get(scalarName);
    if (data === undefined) return NO_PLACE;
    const end = this.#value(source, at, data.field, 0, 0);
    this.#objects += 1;
    data.field.seen = this.#objects;
    this.#fill(root, 0);
    return end;
  }

  /** `definition`: the level of what the value is in. */
  #value(source: Buffer, at: number, field: ParquetField, repetition: number, definition: number): number {
    const first = source[at];
    if (first === letterN) {
      this.#nulls(field, repetition, definition);
      return at + 4;
    }
    if (field.type === 'leaf') return this.#leaf(source, at, field, repetition);
    if (field.type === 'struct') {
      return first === OPEN_OBJECT ? this.#object(source, at, field, repetition) : NO_PLACE;
    }
    return first === OPEN_LIST ? this.#list(source, at, field, repetition) : NO_PLACE;
  }

  #nulls({ firstLeaf, endLeaf }: ParquetField, repetition: number, definition: number): void {
    for (let leaf = firstLeaf; leaf < endLeaf; leaf++) this.#columns[leaf]?.addNull(repetition, definition);
  }

  #object(source: Buffer, at: number, struct: StructField, repetition: number): number {
    this.#objects += 1;
    const object = this.#objects;
    const { members } = struct;
    let expected = 0;
    let found = 0;
    let next = at + 1;
    while (source[next] !== CLOSE_OBJECT) {
      let member = members[expected];
      let value = member === undefined ? -1 : afterName(source, next, member.raw);
      if (value < 0) {
        value = afterString(source, next) + 1;
        member = struct.byName.get(wellFormed(stringAt(source, next, value - 1)));
      }
      if (member === undefined || member.field.seen === object) return NO_PLACE;
      member.field.seen = object;
      expected = member.index + 1;
      found += 1;
      const end = this.#value(source, value, member.field, repetition, struct.defined);
      if (end < 0) return NO_PLACE;
      next = afterComma(source, end);
    }
    if (found < members.length) this.#fill(struct, repetition, object);
    return next + 1;
  }

  /** Writes nulls for the members that the object lacks. */
  #fill({ members, defined }: StructField, repetition: number, object = this.#objects): void {
    for (const { field } of members) if (field.seen !== object) this.#nulls(field, repetition, defined);
  }

  #list(source: Buffer, at: number, { element, repeated, defined }: ListField, repetition: number): number {
    let next = at + 1;
    if (source[next] === CLOSE_LIST) this.#nulls(element, repetition, defined);
    let level = repetition;
    while (source[next] !== CLOSE_LIST) {
      const end = this.#value(source, next, element, level, defined + 1);
      if (end < 0) return NO_PLACE;
      level = repeated;
      next = afterComma(source, end);
    }
    return next + 1;
  }

  #leaf(source: Buffer, at: number, leaf: LeafField, repetition: number): number {
    const first = source[at];
    const kind = kindOf(first);
    const isEmptyObject = kind === OBJECT && source[at + 1] === CLOSE_OBJECT;
    if ((leaf.accepts & (isEmptyObject ? kind | EMPTY_OBJECT : kind)) === 0) return NO_PLACE;
    const column = this.#columns[leaf.firstLeaf];
    if (column === undefined) return NO_PLACE;
    if (leaf.kind === 'json') return this.#json(source, at, column, repetition);
    if (kind === TEXT) {
      return leaf.form === 0 ? this.#text(source, at, column, repetition) : this.#typed(source, at, column, repetition);
    }
    if (leaf.kind === 'text') return raw(source, at, afterValue(source, at), column, repetition);
    if (kind === NUMBER) return this.#numberAt(source, at, column, repetition);
    column.addBoolean(repetition, first === letterT);
    return at + (first === letterT ? 4 : 5);
  }

  /** Readers refuse JSON with half of a surrogate pair. */
  #json(source: Buffer, from: number, column: ColumnWriter, repetition: number): number {
    const to = afterValue(source, from);
    const value = source.subarray(from, to);
    if (!value.includes('\\ud') && !value.includes('\\uD')) return raw(source, from, to, column, repetition);
    const whole = Buffer.from(wellFormedJson(value.toString(), this.#onLoneSurrogate));
    raw(whole, 0, whole.length, column, repetition);
    return to;
  }

  #text(source: Buffer, from: number, column: ColumnWriter, repetition: number): number {
    let at = from + 1;
    let hash = hashSeed;
    let byte = source[at] ?? QUOTE;
    for (; byte !== QUOTE && byte !== BACKSLASH; byte = source[++at] ?? QUOTE) hash = nextHash(hash, byte);
    if (byte === QUOTE) {
      column.addText(repetition, source, from + 1, at, hash);
      return at + 1;
    }
    const to = afterString(source, from);
    const text = this.#decoded;
    text.end(0);
    appendText(source, from, to, text, this.#onLoneSurrogate);
    const bytes = text.room(0);
    column.addText(repetition, bytes, 0, text.length, hashOf(bytes, 0, text.length));
    return to;
  }

  /** Writes a text as a value of its type. */
  #typed(source: Buffer, from: number, column: ColumnWriter, repetition: number): number {
    const { kind, form } = column.leaf;
    const to = afterString(source, from);
    const own = textForm(source, from + 1, to - 1);
    if (own !== form && joinedForms(form, own) !== form) return NO_PLACE;
    if (kind === 'uuid') {
      uuidBytes(source, from + 1, this.#uuid);
      column.addText(repetition, this.#uuid, 0, 16, hashOf(this.#uuid, 0, 16));
    } else column.addNumber(repetition, countedText(source, from + 1, to - 1));
    return to;
  }

  #numberAt(source: Buffer, at: number, column: ColumnWriter, repetition: number): number {
    const number = this.#number;
    const end = number.read(source, at);
    const { kind, scale, precision } = column.leaf;
    if (kind === 'double') {
      const value = number.double() ?? doubleOf(source.toString('latin1', at, end));
      if (value === undefined) return NO_PLACE;
      column.addNumber(repetition, value);
      return end;
    }
    if (kind === 'decimal') {
      if (number.scale > scale || number.whole() > precision - scale) return NO_PLACE;
    } else if (!number.isInt64(source, at, end)) return NO_PLACE;
    column.addNumber(repetition, number.unscaled(scale, source, at, end));
    return end;
  }
}

const [letterN, letterT, letterF] = [0x6e, 0x74, 0x66];

/** The kind of the value that begins with a byte; it is not null. */
function kindOf(first: number | undefined): number {
  if (first === QUOTE) return TEXT;
  if (first === OPEN_OBJECT) return OBJECT;
  if (first === OPEN_LIST) return LIST;
  return first === letterT || first === letterF ? BOOLEAN : NUMBER;
}

/** Writes a value as it is in the item. */
function raw(source: Buffer, from: number, to: number, column: ColumnWriter, repetition: number): number {
  column.addText(repetition, source, from, to, hashOf(source, from, to));
  return to;
}
