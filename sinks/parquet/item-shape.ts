/** What the items of a data type have: their members, and the kinds of values of each. Found in their bytes. */
import { ExtractError } from '../../src/core/errors/errors.js';
import {
  afterComma,
  afterName,
  afterString,
  afterValue,
  CLOSE_LIST,
  CLOSE_OBJECT,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  stringAt,
} from '../../src/core/json/byte-steps.js';
import { wellFormed } from '../lone-surrogates.js';
import { doubleOf } from '../tables/number-forms.js';
import { anyForm, joinedForms, textForm, type WrittenForm } from '../tables/text-forms.js';
import { NumberReader } from './parquet-numbers.js';

/** Kinds of values, a bit each. */
export const [BOOLEAN, NUMBER, TEXT, OBJECT, LIST] = [1, 2, 4, 8, 16];

/** Values at one path. */
export interface Shape {
  /** The kinds that have occurred; 0: only null, or nothing. */
  kinds: number;
  /** The type of the first value. */
  first: string | undefined;
  /** The most digits of numbers before and after their points. */
  whole: number;
  scale: number;
  /** 64 bits with a sign hold all numbers, and none has a point or an exponent. */
  isInt64: boolean;
  /** Doubles hold all numbers. */
  isDouble: boolean;
  /** The form of all texts; 0: they have none. */
  texts: WrittenForm;
  /** Members of objects, by first appearance; undefined: too many, too deep, or one without a name. */
  members: Member[] | undefined;
  /** By `written`. */
  readonly byName: Map<string, Member>;
  /** Values in lists. */
  element: Shape | undefined;
}

/** A member of objects. */
export interface Member {
  readonly name: string;
  /** The name of its column: UTF-8 cannot hold half of a surrogate pair. */
  readonly written: string;
  /** The name as it was first written, with its quotes. */
  readonly raw: Buffer;
  readonly index: number;
  readonly shape: Shape;
  /** The last object that had it. */
  seen: number;
}

/** An item that is not an object has one column of this name. */
export const scalarName = 'data';

/** An object within an item that has more different members is text: its names are values. */
const mostMembers = 1000;
/** Names of all members together. */
const mostNames = 100_000;
/** Objects and lists below so many others are text. */
const mostDepth = 32;

export const createShape = (texts: WrittenForm): Shape => ({
  texts,
  kinds: 0,
  first: undefined,
  whole: 0,
  scale: 0,
  isInt64: true,
  isDouble: true,
  members: [],
  byName: new Map<string, Member>(),
  element: undefined,
});

/** Adds items to the shape of their data type. `root` has the columns as its members. */
export class ShapeReader {
  readonly root: Shape;
  /** An object has two members of one name: the last one counts. */
  hasRepeated = false;
  readonly #dataType: string;
  /** Of shapes without texts. */
  readonly #form: WrittenForm;
  readonly #number = new NumberReader();
  #items = 0;
  #objects = 0;
  #members = 0;

  constructor({ dataType, findsForms }: { readonly dataType: string; readonly findsForms: boolean }) {
    this.#dataType = dataType;
    this.#form = findsForms ? anyForm : 0;
    this.root = createShape(this.#form);
  }

  /** Reads compact items with a newline after each. Throws ERR_SINK if two members would be one column. */
  read(lines: Buffer): void {
    for (let at = 0; at < lines.length; at += 1) {
      this.#items += 1;
      if (lines[at] === OPEN_OBJECT) at = this.#object(lines, at, this.root, 0);
      else at = this.#value(lines, at, this.#named(this.root, scalarName).shape, 0);
    }
  }

  /** The shape of all items, with at least one column: many readers need one. */
  withColumn(): Shape {
    if (this.root.byName.size === 0) this.#named(this.root, scalarName);
    return this.root;
  }

  #value(source: Buffer, at: number, shape: Shape, depth: number): number {
    const first = source[at];
    if (first === QUOTE) {
      note(shape, TEXT, 'STRING');
      const end = afterString(source, at);
      if (shape.texts !== 0) shape.texts = joinedForms(shape.texts, textForm(source, at + 1, end - 1));
      return end;
    }
    if (first === OPEN_OBJECT) return this.#nested(source, at, shape, depth, OBJECT);
    if (first === OPEN_LIST) return this.#nested(source, at, shape, depth, LIST);
    if (first === letterN) return at + 4;
    if (first !== letterT && first !== letterF) return this.#numberAt(source, at, shape);
    note(shape, BOOLEAN, 'BOOLEAN');
    return at + (first === letterT ? 4 : 5);
  }

  #numberAt(source: Buffer, at: number, shape: Shape): number {
    const number = this.#number;
    const end = number.read(source, at);
    const isInt64 = number.isInt64(source, at, end);
    note(shape, NUMBER, isInt64 ? 'INT64' : 'DECIMAL');
    shape.isInt64 &&= isInt64;
    shape.isDouble &&= number.isShort() || doubleOf(source.toString('latin1', at, end)) !== undefined;
    shape.whole = Math.max(shape.whole, number.whole());
    shape.scale = Math.max(shape.scale, number.scale);
    return end;
  }

  #nested(source: Buffer, at: number, shape: Shape, depth: number, kind: number): number {
    note(shape, kind, kind === LIST ? 'LIST' : 'STRUCT');
    if (depth >= mostDepth) shape.members = undefined;
    if (shape.members === undefined) return afterValue(source, at);
    if (kind === OBJECT) return this.#object(source, at, shape, depth + 1);
    shape.element ??= createShape(this.#form);
    const { element } = shape;
    let next = at + 1;
    while (source[next] !== CLOSE_LIST) next = afterComma(source, this.#value(source, next, element, depth + 1));
    return next + 1;
  }

  #object(source: Buffer, at: number, shape: Shape, depth: number): number {
    this.#objects += 1;
    const object = this.#objects;
    let expected = 0;
    let next = at + 1;
    while (source[next] !== CLOSE_OBJECT) {
      let member = shape.members?.[expected];
      let value = member === undefined ? -1 : afterName(source, next, member.raw);
      if (member === undefined || value < 0) {
        value = afterString(source, next) + 1;
        member = this.#named(shape, stringAt(source, next, value - 1));
      }
      if (member.seen === object) this.hasRepeated = true;
      member.seen = object;
      expected = member.index + 1;
      next = afterComma(source, this.#value(source, value, member.shape, depth));
    }
    const isStruct = shape.byName.size <= mostMembers && !shape.byName.has('');
    if (depth > 0 && !isStruct) shape.members = undefined;
    return next + 1;
  }

  #named(shape: Shape, name: string): Member {
    const written = wellFormed(name);
    const known = shape.byName.get(written);
    if (known !== undefined && known.name !== name) {
      throw collapse(this.#dataType, this.#items, written, [known.name, name]);
    }
    if (known !== undefined) return known;
    this.#members += 1;
    if (this.#members > mostNames) throw tooMany(this.#dataType, mostNames);
    const members = shape.members ?? [];
    const raw = Buffer.from(JSON.stringify(name));
    const member = { name, written, raw, index: members.length, shape: createShape(this.#form), seen: 0 };
    shape.byName.set(written, member);
    members.push(member);
    return member;
  }
}

const [letterN, letterT, letterF] = [0x6e, 0x74, 0x66];

function note(shape: Shape, kind: number, type: string): void {
  shape.kinds |= kind;
  shape.first ??= type;
}

function collapse(dataType: string, item: number, column: string, names: readonly string[]): ExtractError {
  const shown = names.map((name) => JSON.stringify(name)).join(' and ');
  const remedy = `Rename one with --select '${dataType}: *, ... as ...'`;
  return new ExtractError(
    'ERR_SINK',
    `item ${item} of "${dataType}": two members would be the column ${JSON.stringify(column)}: ${shown}. ${remedy}`,
  );
}

/** The error of items whose names are values. */
export function tooMany(dataType: string, most: number): ExtractError {
  const remedy = `Use nested=json, or choose members with --select '${dataType}: ...'`;
  return new ExtractError('ERR_SINK', `"${dataType}" has more than ${most} columns. ${remedy}`);
}
