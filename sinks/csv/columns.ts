/** The columns of a table, in the order in which items first have them, and the places of an item's values. */
import { ExtractError } from '../../src/core/errors/errors.js';
import {
  afterComma,
  afterString,
  afterValue,
  CLOSE_OBJECT,
  isWritten,
  OPEN_OBJECT,
  stringAt,
} from '../../src/core/json/byte-steps.js';

/** A member of items, or of a value in them. */
interface Node {
  readonly path: readonly string[];
  /** Its name as it was first written. */
  readonly raw: Buffer;
  /** In the order of first appearance. */
  readonly children: Node[];
  readonly byName: Map<string, Node>;
  /** Its place among the children of its parent. */
  readonly index: number;
  /** The number of its column; -1: none. */
  column: number;
  /** Where the next member is expected among its children. */
  next: number;
}

export interface Columns {
  /** Finds the values of an item, and adds columns for new members. Throws ERR_SINK if two members are one column. */
  read(source: Buffer, from: number): void;
  /** The start of the value in a column; -1: none. */
  start(column: number): number;
  /**
   * If the bytes at `at` are the name of the column, as it was first written, the position of its value; else -1. A
   * column within an object has none.
   */
  valueAfterName(column: number, source: Buffer, at: number): number;
  count(): number;
  names(): readonly string[];
  /** Removes columns beyond that number. */
  keep(count: number): void;
  /** Adds columns of an earlier process. */
  restore(names: readonly string[]): void;
}

/** An item that is not an object has one column of this name. */
const scalarName = 'data';

/** `isFlat`: the members of objects within items are columns too, `address.city`. */
export const createColumns = (dataType: string, isFlat: boolean): Columns => new GrowingColumns(dataType, isFlat);

class GrowingColumns implements Columns {
  readonly #dataType: string;
  readonly #isFlat: boolean;
  readonly #root = nodeOf([], Buffer.alloc(0), 0);
  readonly #columns: Node[] = [];
  readonly #byName = new Map<string, Node>();
  #starts = new Int32Array(64).fill(-1);

  constructor(dataType: string, isFlat: boolean) {
    this.#dataType = dataType;
    this.#isFlat = isFlat;
  }

  read(source: Buffer, from: number): void {
    this.#starts.fill(-1, 0, this.#columns.length);
    if (source[from] === OPEN_OBJECT) this.#readObject(source, from, this.#root);
    else this.#place(childNamed(this.#root, scalarName), from);
  }

  start(column: number): number {
    return this.#starts[column] ?? -1;
  }

  valueAfterName(column: number, source: Buffer, at: number): number {
    const node = this.#columns[column];
    if (node === undefined || node.path.length > 1) return -1;
    const { raw } = node;
    for (let own = 0; own < raw.length; own++) if (source[at + own] !== raw[own]) return -1;
    return at + raw.length + 1;
  }

  count(): number {
    return this.#columns.length;
  }

  names(): readonly string[] {
    return this.#columns.map(({ path }) => path.join('.'));
  }

  keep(count: number): void {
    for (const node of this.#columns.splice(count)) {
      this.#byName.delete(node.path.join('.'));
      node.column = -1;
    }
  }

  restore(names: readonly string[]): void {
    for (const name of names) {
      const path = this.#isFlat ? name.split('.') : [name];
      this.#add(path.reduce(childNamed, this.#root));
    }
  }

  /** Notes the members of the object that begins at `at`. */
  #readObject(source: Buffer, at: number, parent: Node): void {
    for (let next = at + 1; source[next] !== CLOSE_OBJECT; ) {
      const value = afterString(source, next) + 1;
      const end = afterValue(source, value);
      const node = childAt(source, next, value - 1, parent);
      const isNested = this.#isFlat && source[value] === OPEN_OBJECT && source[value + 1] !== CLOSE_OBJECT;
      if (isNested) this.#readObject(source, value, node);
      else this.#place(node, value);
      next = afterComma(source, end);
    }
  }

  #place(node: Node, from: number): void {
    if (node.column < 0) this.#add(node);
    this.#starts[node.column] = from;
  }

  #add(node: Node): void {
    const name = node.path.join('.');
    const other = this.#byName.get(name);
    if (other !== undefined) throw collapse(this.#dataType, name, [other.path, node.path]);
    this.#byName.set(name, node);
    node.column = this.#columns.push(node) - 1;
    if (this.#columns.length <= this.#starts.length) return;
    this.#starts = larger(this.#starts);
  }
}

const nodeOf = (path: readonly string[], raw: Buffer, index: number): Node => ({
  path,
  raw,
  index,
  children: [],
  byName: new Map(),
  column: -1,
  next: 0,
});

/** The member whose name is the string between two positions. Most items have their members in the same order. */
function childAt(source: Buffer, from: number, to: number, parent: Node): Node {
  const expected = parent.children[parent.next] ?? parent.children[0];
  if (expected !== undefined && isWritten(source, from, to, expected.raw)) {
    parent.next = expected.index + 1;
    return expected;
  }
  const node = childNamed(parent, stringAt(source, from, to));
  parent.next = node.index + 1;
  return node;
}

function childNamed(parent: Node, name: string): Node {
  const known = parent.byName.get(name);
  if (known !== undefined) return known;
  const node = nodeOf([...parent.path, name], Buffer.from(JSON.stringify(name)), parent.children.length);
  parent.byName.set(name, node);
  parent.children.push(node);
  return node;
}

function larger(list: Int32Array): Int32Array<ArrayBuffer> {
  const made = new Int32Array(list.length * 2).fill(-1);
  made.set(list);
  return made;
}

function collapse(dataType: string, name: string, paths: readonly (readonly string[])[]): ExtractError {
  const shown = paths.map((path) => path.map((each) => JSON.stringify(each)).join(' > ')).join(' and ');
  const remedy = `Rename one with --select '${dataType}: *, ... as ...', or use nested=json`;
  return new ExtractError(
    'ERR_SINK',
    `two members of "${dataType}" would be the column "${name}": ${shown}. ${remedy}`,
  );
}
