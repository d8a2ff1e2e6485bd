/**
 * Reads items as rows: each path to a text, number, boolean or list is a leaf, and the leaves of an item are found in
 * its bytes without parsing the rest. Objects are no leaves, and an empty one has none.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import {
  afterComma,
  afterString,
  afterValue,
  CLOSE_OBJECT,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
} from '../../src/core/json/byte-steps.js';
import { asBuffer } from '../../src/core/util/as-buffer.js';
import { type ColumnKind, kindOfDigits } from './column-kinds.js';
import { MemberTree, type TreeMember } from './member-tree.js';
import { joinedForms, textForm } from './text-forms.js';

/** A path that has occurred in an item. */
export interface Leaf {
  /** Member names from the outside in; empty: the item itself, which is no object. */
  readonly path: readonly string[];
  readonly name: string;
  /** Its number among the leaves of its table. */
  readonly index: number;
}

/** The kinds of values; `none` is null, which removes an earlier value of the same name. */
const leafKinds = ['text', 'integer', 'decimal', 'boolean', 'json', 'none'] as const;
type LeafKind = (typeof leafKinds)[number];

/** Items in bytes, and where their values are. */
export interface LeafChunk {
  readonly source: Buffer;
  /** Of each value: the index of its leaf, that of its kind, its first byte, and the byte after it. */
  readonly values: Int32Array;
  /** Of each row: the position in `values` after its last one. */
  readonly ends: Int32Array;
}

export interface ReadRows {
  readonly count: number;
  readonly chunks: readonly LeafChunk[];
  /** The leaves that have a value in these rows, and the kinds of their values: both by first appearance. */
  readonly seen: ReadonlyMap<Leaf, readonly ColumnKind[]>;
}

/** The values of one row, by the index of their leaf. */
export class LeafRow {
  readonly #places: number[] = [];
  #values: LeafChunk['values'] = new Int32Array();

  /** Reads the row of a chunk. */
  read({ values, ends }: LeafChunk, row: number): void {
    this.#places.fill(-1);
    this.#values = values;
    const end = ends[row] ?? 0;
    for (let at = row === 0 ? 0 : (ends[row - 1] ?? 0); at < end; at += 4) {
      const leaf = values[at] ?? 0;
      for (let index = this.#places.length; index <= leaf; index++) this.#places.push(-1);
      this.#places[leaf] = values[at + 1] === none ? -1 : at; // Of several equal names the last one counts.
    }
  }

  has(leaf: number): boolean {
    return (this.#places[leaf] ?? -1) >= 0;
  }

  kind(leaf: number): LeafKind {
    return leafKinds[this.#at(leaf, 1)] ?? 'none';
  }

  from(leaf: number): number {
    return this.#at(leaf, 2);
  }

  to(leaf: number): number {
    return this.#at(leaf, 3);
  }

  #at(leaf: number, field: number): number {
    return this.#values[(this.#places[leaf] ?? 0) + field] ?? 0;
  }
}

/** Remembers the leaves of a table, so that each has one name. */
export interface LeafReader {
  /**
   * Reads compact JSON items, a line each. Throws ERR_SINK with the paths if two leaves would have the same name.
   */
  read(chunks: readonly Uint8Array[]): ReadRows;
}

interface Options {
  /** The name of the column of a path. */
  readonly nameOf: (path: readonly string[]) => string;
  /** What the table is, for messages: `postgres: the table "public.users"`. */
  readonly what: string;
  /** Texts of one form are a kind. */
  readonly findsForms?: boolean;
}

/** Reads items of one table. */
export const createLeafReader = (options: Options): LeafReader => new Reader(options);

/** What is known of a member. */
interface Known {
  leaf: Leaf | undefined;
  /** The kinds that its values have in the current rows, a bit each. */
  kinds: number;
  /** The form of its texts in the current rows; 0: none. */
  form: number;
}

type Node = TreeMember<Known>;

/** Their places in `leafKinds`. */
const [text, integer, decimal, boolean, json, none] = [0, 1, 2, 3, 4, 5] as const;

class Reader implements LeafReader {
  readonly #options: Options;
  readonly #members = new MemberTree<Known>(() => ({ leaf: undefined, kinds: 0, form: 0 }));
  readonly #byName = new Map<string, Leaf>();
  /** Members with a value in the current rows. */
  readonly #filled: Node[] = [];
  #seen = new Map<Leaf, ColumnKind[]>();
  #values = new Int32Array(4096);
  #length = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  read(chunks: readonly Uint8Array[]): ReadRows {
    for (const node of this.#filled.splice(0)) node.kinds = node.form = 0;
    const seen = new Map<Leaf, ColumnKind[]>();
    this.#seen = seen;
    const read = chunks.map((bytes) => this.#readChunk(asBuffer(bytes)));
    for (const { leaf, form } of this.#filled) if (leaf !== undefined && form > 0) noteForm(seen, leaf, form);
    return { count: read.reduce((sum, { ends }) => sum + ends.length, 0), chunks: read, seen };
  }

  /** The bytes are valid: a page scanner has read them. */
  #readChunk(source: Buffer): LeafChunk {
    const ends: number[] = [];
    this.#length = 0;
    for (let at = 0; at < source.length; at++) {
      at = this.#readValue(source, at, this.#members.root);
      ends.push(this.#length);
    }
    return { source, values: this.#values.slice(0, this.#length), ends: Int32Array.from(ends) };
  }

  /** Returns the position after the value. */
  #readValue(source: Buffer, from: number, node: Node): number {
    const first = source[from];
    if (first === OPEN_OBJECT) return this.#readObject(source, from, node);
    const to = first === QUOTE ? afterString(source, from) : afterValue(source, from);
    if (first === QUOTE) this.#keepText(source, node, from, to);
    else if (first === OPEN_LIST) this.#keep(node, json, from, to);
    else if (first === letterT || first === letterF) this.#keep(node, boolean, from, to);
    else if (first !== letterN) this.#keep(node, isWhole(source, from, to) ? integer : decimal, from, to);
    else if (node.leaf !== undefined) this.#add(node.leaf, none, from, to);
    return to;
  }

  #readObject(source: Buffer, from: number, parent: Node): number {
    let at = from + 1;
    while (source[at] !== CLOSE_OBJECT) {
      const node = this.#members.memberAt(source, at, parent);
      at = afterComma(source, this.#readValue(source, this.#members.value, node));
    }
    return at + 1;
  }

  #keep(node: Node, kind: number, from: number, to: number): void {
    const leaf = node.leaf ?? this.#leafOf(node);
    if ((node.kinds & (1 << kind)) === 0) this.#note(node, leaf, kind);
    this.#add(leaf, kind, from, to);
  }

  #keepText(source: Buffer, node: Node, from: number, to: number): void {
    const isFirst = (node.kinds & (1 << text)) === 0;
    this.#keep(node, text, from, to);
    if (isFirst ? !this.#options.findsForms : node.form === 0) return;
    const form = textForm(source, from + 1, to - 1);
    if (form !== node.form) node.form = isFirst ? form : joinedForms(node.form, form);
  }

  #add({ index }: Leaf, kind: number, from: number, to: number): void {
    const at = this.#length;
    if (at === this.#values.length) this.#grow();
    const values = this.#values;
    values[at] = index;
    values[at + 1] = kind;
    values[at + 2] = from;
    values[at + 3] = to;
    this.#length = at + 4;
  }

  #grow(): void {
    const larger = new Int32Array(this.#values.length * 2);
    larger.set(this.#values);
    this.#values = larger;
  }

  #note(node: Node, leaf: Leaf, kind: number): void {
    if (node.kinds === 0) this.#filled.push(node);
    node.kinds |= 1 << kind;
    const kinds = this.#seen.get(leaf);
    const name = leafKinds[kind] as ColumnKind; // a null is not noted
    if (kinds === undefined) this.#seen.set(leaf, [name]);
    else kinds.push(name);
  }

  #leafOf(node: Node): Leaf {
    const { nameOf, what } = this.#options;
    const leaf = { path: node.path, name: nameOf(node.path), index: this.#byName.size };
    const other = this.#byName.get(leaf.name);
    if (other !== undefined) throw collapse(what, leaf, other);
    this.#byName.set(leaf.name, leaf);
    node.leaf = leaf;
    return leaf;
  }
}

/** All texts of the leaf have a form, which is their kind. */
function noteForm(seen: Map<Leaf, ColumnKind[]>, leaf: Leaf, form: number): void {
  seen.set(leaf, seen.get(leaf)?.map((kind) => (kind === 'text' ? form : kind)) ?? []);
}

const [letterT, letterF, letterN] = [0x74, 0x66, 0x6e];
const [zero, nine, minus] = [0x30, 0x39, 0x2d];

/** Whether a number is an integer of 64 bits. */
function isWhole(source: Buffer, from: number, to: number): boolean {
  for (let at = source[from] === minus ? from + 1 : from; at < to; at++) {
    const byte = source[at] ?? 0;
    if (byte < zero || byte > nine) return false;
  }
  return kindOfDigits(source, from, to) === 'integer';
}

/** The error for two paths of one name. */
export function collapse(what: string, one: Omit<Leaf, 'index'>, other: Omit<Leaf, 'index'>): ExtractError {
  const [first, second] = [other, one].map(({ path }) => JSON.stringify(path));
  return new ExtractError(
    'ERR_SINK',
    `${what}: the members ${first} and ${second} would be one column, "${one.name}"`,
    { remedy: 'Rename or leave out one of them with --select, or use columns=item.' },
  );
}
