/** Observes items: the shape of their values, read from their bytes. */
import {
  afterComma,
  afterString,
  afterValue,
  CLOSE_LIST,
  CLOSE_OBJECT,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  stringAt,
} from '../../src/core/json/byte-steps.js';
import { type Items, startOf } from '../../src/core/model/batch.js';
import { asBuffer } from '../../src/core/util/as-buffer.js';
import { defined } from '../../src/core/util/defined.js';
import { MemberTree, type TreeMember } from '../tables/member-tree.js';
import { joinedForm, type NumberForm, noDigits, numberForm } from '../tables/number-forms.js';
import { anyForm, joinedForms, textForm, typeOfForm, type WrittenForm } from '../tables/text-forms.js';
import { formatOf } from './formats.js';
import {
  anything,
  isWhole,
  joined,
  mostValues,
  type Observed,
  type TextFormat,
  type TypeName,
  type ValueShape,
  widerRange,
  withWhole,
} from './value-shape.js';

export interface Observer {
  /** Adds items `from` to `to`, without the latter. */
  add(items: Pick<Items, 'bytes' | 'offsets'>, from: number, to: number): void;
  /** The shape of all items so far; undefined: there was none. */
  shape(): ValueShape | undefined;
}

interface Limits {
  /** The most different texts of an enumeration. */
  readonly values: number;
  /** How often the texts of an enumeration occur, on average. */
  readonly occurrences: number;
}

/** What was seen of a value. */
interface Own {
  readonly types: Partial<Record<TypeName, number>>;
  /** The different texts; undefined: too many, or one is too long. */
  values: Set<string> | undefined;
  /** The format of all texts; undefined: none yet, null: there is none. */
  format: TextFormat | undefined | null;
  /** The form of all texts in a column; 0: there is none. */
  form: WrittenForm;
  length: readonly [number, number] | undefined;
  range: readonly [string, string] | undefined;
  /** The digits of numbers that are not all whole and short. */
  digits: NumberForm | undefined;
  /** The elements of arrays. */
  element: Node | undefined;
  /** Members after the most that are counted one by one. */
  rest: Node | undefined;
  /** The object in which the member was last seen. */
  last: number;
  /** How many objects had it. */
  objects: number;
}

type Node = TreeMember<Own>;

const createTree = () =>
  new MemberTree<Own>(() => ({
    types: {},
    values: new Set(),
    format: undefined,
    form: anyForm,
    length: undefined,
    range: undefined,
    digits: undefined,
    element: undefined,
    rest: undefined,
    last: 0,
    objects: 0,
  }));

/** An object with more members has names that are keys of a table: their values are described together. */
const mostMembers = 1000;
/** No more members are counted one by one, over all objects. */
const mostNodes = 20_000;
/** A value that is nested deeper may be anything. */
const mostDepth = 32;
/** A whole number that is not longer has no digit that a double loses. */
const shortNumber = 15;
/** A longer text is no word of an enumeration. */
const longestValue = 64;

const usualLimits: Limits = { values: mostValues, occurrences: 10 };

/** Observes items. A text is in an enumeration if the texts of its member are few and each occurs often. */
export const createObserver = (): Observer => new ItemObserver(usualLimits);

/** The shape of one item, with all its texts. */
export function shapeOfItem(items: Pick<Items, 'bytes' | 'offsets'>, index: number): ValueShape {
  const observer = new ItemObserver({ values: Number.POSITIVE_INFINITY, occurrences: 0 });
  observer.add(items, index, index + 1);
  return observer.shape() ?? anything;
}

class ItemObserver implements Observer {
  readonly #limits: Limits;
  readonly #tree = createTree();
  #nodes = 0;
  #objects = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  add(items: Pick<Items, 'bytes' | 'offsets'>, from: number, to: number): void {
    const source = asBuffer(items.bytes);
    for (let index = from; index < to; index++) this.#value(source, startOf(items, index), this.#tree.root, 0);
  }

  shape(): ValueShape | undefined {
    return Object.keys(this.#tree.root.types).length === 0 ? undefined : this.#shapeOf(this.#tree.root, 0);
  }

  /** Returns the position after the value. */
  #value(source: Buffer, at: number, node: Node, depth: number): number {
    const first = source[at];
    if (first === OPEN_OBJECT) return this.#object(source, at, node, depth);
    if (first === OPEN_LIST) return this.#list(source, at, node, depth);
    if (first === QUOTE) return this.#text(source, at, node);
    const end = afterValue(source, at);
    if (first === letterN) count(node, 'null');
    else if (first === letterT || first === letterF) count(node, 'boolean');
    else this.#number(source.toString('latin1', at, end), node);
    return end;
  }

  #object(source: Buffer, from: number, node: Node, depth: number): number {
    count(node, 'object');
    if (depth === mostDepth) return afterValue(source, from);
    const own = ++this.#objects;
    let at = from + 1;
    while (source[at] !== CLOSE_OBJECT) {
      const known = node.children.length;
      const isFull = known >= mostMembers || this.#nodes >= mostNodes;
      const member = isFull ? this.#knownAt(source, at, node) : this.#tree.memberAt(source, at, node);
      this.#nodes += node.children.length - known;
      const value = isFull ? afterString(source, at) + 1 : this.#tree.value;
      if (member.last !== own) member.objects += 1;
      member.last = own;
      at = afterComma(source, this.#value(source, value, member, depth + 1));
    }
    return at + 1;
  }

  /** A member of an object that gets no others. */
  #knownAt(source: Buffer, at: number, node: Node): Node {
    const found = node.byName.get(stringAt(source, at, afterString(source, at)));
    if (found !== undefined) return found;
    node.rest ??= createTree().root;
    return node.rest;
  }

  #list(source: Buffer, from: number, node: Node, depth: number): number {
    count(node, 'array');
    if (depth === mostDepth) return afterValue(source, from);
    let elements = 0;
    let at = from + 1;
    while (source[at] !== CLOSE_LIST) {
      node.element ??= createTree().root;
      at = afterComma(source, this.#value(source, at, node.element, depth + 1));
      elements += 1;
    }
    node.length = withLength(node, elements);
    return at + 1;
  }

  #text(source: Buffer, at: number, node: Node): number {
    const end = afterString(source, at);
    count(node, 'string');
    const text = stringAt(source, at, end);
    node.length = withLength(node, charactersOf(text));
    if (node.format !== null) {
      const format = formatOf(text);
      node.format = node.format === undefined || node.format === format ? (format ?? null) : null;
    }
    if (node.form !== 0) node.form = joinedForms(node.form, textForm(source, at + 1, end - 1));
    const { values } = node;
    if (values === undefined) return end;
    const isWord = text.length <= longestValue || this.#limits.occurrences === 0;
    if (isWord && (values.size < this.#limits.values || values.has(text))) values.add(text);
    else node.values = undefined;
    return end;
  }

  #number(text: string, node: Node): void {
    const isInteger = isWhole(text);
    count(node, isInteger ? 'integer' : 'number');
    if (!isInteger || text.length > shortNumber) node.digits = joinedForm(node.digits ?? noDigits, numberForm(text));
    node.range = node.range === undefined ? [text, text] : widerRange(node.range, [text, text]);
  }

  #shapeOf(node: Node, depth: number): ValueShape {
    if (depth === mostDepth) return anything;
    const { types, element, format, values } = node;
    const { null: nulls = 0, string: texts = 0 } = types;
    const seen: Observed = { count: sumOf(types), nulls, missing: 0, ...seenOf(node) };
    const isFew = values !== undefined && values.size > 0 && texts >= values.size * this.#limits.occurrences;
    const isWords = isFew && (typeof format !== 'string' || this.#limits.occurrences === 0);
    return {
      types: new Set(
        (Object.keys(types) as TypeName[]).filter((type) => type !== 'integer' || types.number === undefined),
      ), // counted by name
      ...this.#membersOf(node, depth),
      ...(element === undefined ? {} : { items: this.#shapeOf(element, depth + 1) }),
      ...(isWords ? { values: [...values] } : {}),
      ...(typeof format === 'string' ? { format } : {}),
      seen,
    };
  }

  #membersOf(node: Node, depth: number): Pick<ValueShape, 'properties' | 'required' | 'rest'> {
    const { object: objects = 0 } = node.types;
    const members = [...node.byName].map(([name, member]) => {
      const shape = this.#shapeOf(member, depth + 1);
      const missing = objects - member.objects;
      return [name, shape.seen === undefined ? shape : { ...shape, seen: { ...shape.seen, missing } }] as const;
    });
    if (node.rest === undefined) {
      const required = [...node.byName].filter(([, member]) => member.objects === objects);
      return { properties: new Map(members), required: new Set(required.map(([name]) => name)) };
    }
    const others = [this.#shapeOf(node.rest, depth + 1), ...members.map(([, shape]) => shape)];
    return { properties: new Map(), required: new Set(), rest: others.reduce(joined) };
  }
}

const [letterT, letterF, letterN] = [0x74, 0x66, 0x6e];

function count({ types }: Node, type: TypeName): void {
  types[type] = (types[type] ?? 0) + 1;
}

const seenOf = ({ length, range, digits, format, form }: Node): Partial<Observed> => {
  const column = form > 0 ? typeOfForm(form) : typeof format === 'string' ? 'text' : undefined;
  return defined({ length, range, digits: digits && withWhole(digits, range), column });
};

const sumOf = (types: Own['types']): number => Object.values(types).reduce((sum, each) => sum + each, 0);

const withLength = ({ length }: Node, more: number): readonly [number, number] =>
  length === undefined ? [more, more] : [Math.min(length[0], more), Math.max(length[1], more)];

/** Characters count as in JSON Schema: one above U+FFFF is one. */
const charactersOf = (text: string): number => {
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g);
  return pairs === null ? text.length : text.length - pairs.length;
};
