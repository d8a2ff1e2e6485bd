/** The columns of a table, in the order in which items first have them, and the places of an item's values. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { afterComma, afterName, afterValue, CLOSE_OBJECT, OPEN_OBJECT } from '../../src/core/json/byte-steps.js';
import { MemberTree, type TreeMember } from '../tables/member-tree.js';

/** What a table knows of a member. */
interface Place {
  /** The number of its column; -1: none. */
  column: number;
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
  readonly #members = new MemberTree<Place>(() => ({ column: -1 }));
  readonly #columns: TreeMember<Place>[] = [];
  readonly #byName = new Map<string, TreeMember<Place>>();
  #starts = new Int32Array(64).fill(-1);

  constructor(dataType: string, isFlat: boolean) {
    this.#dataType = dataType;
    this.#isFlat = isFlat;
  }

  read(source: Buffer, from: number): void {
    this.#starts.fill(-1, 0, this.#columns.length);
    if (source[from] === OPEN_OBJECT) this.#readObject(source, from, this.#members.root);
    else this.#place(this.#members.named(this.#members.root, scalarName), from);
  }

  start(column: number): number {
    return this.#starts[column] ?? -1;
  }

  valueAfterName(column: number, source: Buffer, at: number): number {
    const node = this.#columns[column];
    if (node === undefined || node.path.length > 1) return -1;
    return afterName(source, at, node.raw);
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
    const members = this.#members;
    for (const name of names) {
      const path = this.#isFlat ? name.split('.') : [name];
      this.#add(path.reduce((parent, each) => members.named(parent, each), members.root));
    }
  }

  /** Notes the members of the object that begins at `at`. */
  #readObject(source: Buffer, at: number, parent: TreeMember<Place>): void {
    for (let next = at + 1; source[next] !== CLOSE_OBJECT; ) {
      const node = this.#members.memberAt(source, next, parent);
      const { value } = this.#members;
      const end = afterValue(source, value);
      const isNested = this.#isFlat && source[value] === OPEN_OBJECT && source[value + 1] !== CLOSE_OBJECT;
      if (isNested) this.#readObject(source, value, node);
      else this.#place(node, value);
      next = afterComma(source, end);
    }
  }

  #place(node: TreeMember<Place>, from: number): void {
    if (node.column < 0) this.#add(node);
    this.#starts[node.column] = from;
  }

  #add(node: TreeMember<Place>): void {
    const name = node.path.join('.');
    const other = this.#byName.get(name);
    if (other !== undefined) throw collapse(this.#dataType, name, [other.path, node.path]);
    this.#byName.set(name, node);
    node.column = this.#columns.push(node) - 1;
    if (this.#columns.length <= this.#starts.length) return;
    this.#starts = larger(this.#starts);
  }
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
