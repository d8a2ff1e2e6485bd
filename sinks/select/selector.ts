/** Keeps, renames and drops members of items in their bytes; values that are not named are not parsed. */
import {
  afterComma,
  afterString,
  afterValue,
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COMMA,
  isWritten,
  memberNames,
  OPEN_LIST,
  OPEN_OBJECT,
  stringAt,
} from '../../src/core/json/byte-steps.js';
import { type Items, startOf } from '../../src/core/model/batch.js';
import { asBuffer } from '../../src/core/util/as-buffer.js';
import { createBytes, type GrowingBytes } from '../growing-bytes.js';
import { outputName, type SelectEntry } from './parse-select.js';

export interface Selector {
  /** Items with the selected members, in memory of their own. An item that is not an object is unchanged. */
  select(items: Items): Items;
  /** The paths that no item has had so far, in the order of the entries; none if there was no item. */
  unseen(): readonly (readonly string[])[];
  /** The members of the first item. */
  members(): readonly string[];
  /** The members that have the value of this one in the result. */
  namesOf(member: string): readonly string[];
}

/** A member that an entry names, at any depth. */
interface Node {
  readonly name: string;
  /** Its name as most items have it. */
  readonly bytes: Buffer;
  readonly children: Node[];
  /** Slots that get its whole value. */
  readonly slots: number[];
  /** It is kept with all that is in it. */
  isKept: boolean;
  isDropped: boolean;
  /** `*` leaves it out: another entry has its name. */
  isNamed: boolean;
  /** Members in it are kept, dropped, or copied to slots. */
  keepsWithin: boolean;
  dropsWithin: boolean;
  copiesWithin: boolean;
  wasSeen: boolean;
  /** Where the search among its children begins: after the last one that was found. */
  next: number;
}

/** A member of the result. */
interface Slot {
  readonly name: string;
  /** The name with its quotes and colon. */
  readonly label: Buffer;
  /** The member whose value it gets. */
  readonly node: Node;
  /** It gets only the parts of the value that are kept, unless all of it is. */
  readonly isPart: boolean;
}

/** Compiles the entries of a select. The result may be shared: it keeps no items. */
export function createSelector(entries: readonly SelectEntry[]): Selector {
  const root = nodeOf('');
  const slots: (Slot | 'all')[] = [];
  for (const entry of entries) if (entry.kind === 'drop') nodeAt(root, entry.path, 'dropsWithin').isDropped = true;
  for (const entry of entries) if (entry.kind !== 'drop') addSlot(root, slots, entry);
  const paths = entries.flatMap((entry) => (entry.kind === 'all' ? [] : [entry.path]));
  return new Selecting(root, slots, paths);
}

const nodeOf = (name: string): Node => ({
  name,
  bytes: Buffer.from(JSON.stringify(name)),
  children: [],
  slots: [],
  isKept: false,
  isDropped: false,
  isNamed: false,
  keepsWithin: false,
  dropsWithin: false,
  copiesWithin: false,
  wasSeen: false,
  next: 0,
});

/** The node of a path; each node on the way notes what is within it. */
function nodeAt(root: Node, path: readonly string[], within: 'keepsWithin' | 'dropsWithin' | 'copiesWithin'): Node {
  let node = root;
  for (const name of path) {
    node[within] = true;
    const found = node.children.find((each) => each.name === name);
    const child = found ?? nodeOf(name);
    if (found === undefined) node.children.push(child);
    node = child;
  }
  return node;
}

function addSlot(root: Node, slots: (Slot | 'all')[], entry: Exclude<SelectEntry, { kind: 'drop' }>): void {
  if (entry.kind === 'all') {
    slots.push('all');
    return;
  }
  const name = outputName(entry);
  const label = Buffer.from(`${JSON.stringify(name)}:`);
  nodeAt(root, [name], 'copiesWithin').isNamed = true;
  const top = nodeAt(root, entry.path.slice(0, 1), 'copiesWithin');
  if (entry.as !== undefined) {
    const node = nodeAt(root, entry.path, 'copiesWithin');
    if (entry.path.length === 1) top.isNamed = true;
    node.slots.push(slots.push({ name, label, node, isPart: false }) - 1);
    return;
  }
  nodeAt(root, entry.path, 'keepsWithin').isKept = true;
  const isKnown = slots.some((slot) => slot !== 'all' && slot.isPart && slot.node === top);
  if (!isKnown) top.slots.push(slots.push({ name, label, node: top, isPart: true }) - 1);
}

class Selecting implements Selector {
  readonly #root: Node;
  readonly #slots: readonly (Slot | 'all')[];
  /** The start and end of each slot's value; a start of -1: the item has none. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  readonly #paths: readonly (readonly string[])[];
  readonly #hasAll: boolean;
  /** Starts and ends of the members of `*`, and the nodes of those with a part to drop. */
  #ranges: number[] = [];
  #partial: (Node | undefined)[] = [];
  #names: readonly string[] = [];
  #count = 0;

  constructor(root: Node, slots: readonly (Slot | 'all')[], paths: readonly (readonly string[])[]) {
    this.#root = root;
    this.#paths = paths;
    this.#slots = slots;
    this.#starts = new Int32Array(slots.length);
    this.#ends = new Int32Array(slots.length);
    this.#hasAll = slots.includes('all');
  }

  select(items: Items): Items {
    const { bytes, count } = items;
    const source = asBuffer(bytes);
    const out = createBytes(bytes.length + 64);
    const made = new Uint32Array(count + 1);
    for (let index = 0; index < count; index++) {
      this.#item(source, startOf(items, index), startOf(items, index + 1), out);
      made[index + 1] = out.length;
    }
    return { bytes: out.take(), offsets: made, count };
  }

  unseen(): readonly (readonly string[])[] {
    if (this.#count === 0) return [];
    return this.#paths.filter((path) => {
      let node: Node | undefined = this.#root;
      for (const name of path) node = node?.children.find((child) => child.name === name);
      return node?.wasSeen !== true;
    });
  }

  members(): readonly string[] {
    return this.#names;
  }

  namesOf(member: string): readonly string[] {
    const node = this.#root.children.find(({ name }) => name === member);
    return this.#slots.flatMap((slot) => {
      if (slot !== 'all') return slot.node === node ? [slot.name] : [];
      return node?.isDropped === true || node?.isNamed === true ? [] : [member];
    });
  }

  /** Writes one item and its newline. */
  #item(source: Buffer, from: number, to: number, out: GrowingBytes): void {
    if (source[from] !== OPEN_OBJECT) {
      out.copy(source, from, to);
      return;
    }
    if (this.#count === 0) this.#names = [...memberNames(source, from)];
    this.#count += 1;
    this.#starts.fill(-1);
    this.#ranges = [];
    this.#partial = [];
    this.#find(source, from, this.#root);
    out.byte(OPEN_OBJECT);
    for (let index = 0; index < this.#slots.length; index++) {
      const slot = this.#slots[index];
      if (slot === 'all') this.#writeAll(source, out);
      else if (slot !== undefined) this.#writeSlot(source, slot, index, out);
    }
    out.replaceComma(CLOSE_OBJECT);
    out.byte(NEWLINE);
  }

  /** Notes the places of the values that slots need, of the object that begins at `at`. */
  #find(source: Buffer, at: number, node: Node): void {
    const isRoot = node === this.#root;
    for (let next = at + 1; source[next] !== CLOSE_OBJECT; ) {
      const nameEnd = afterString(source, next);
      const end = afterValue(source, nameEnd + 1);
      const child = childAt(source, next, nameEnd, node);
      if (child !== undefined) this.#note(source, nameEnd + 1, end, child);
      if (isRoot && this.#hasAll) this.#noteOther(next, end, child);
      next = afterComma(source, end);
    }
  }

  #note(source: Buffer, from: number, to: number, node: Node): void {
    for (const slot of node.slots) {
      this.#starts[slot] = from;
      this.#ends[slot] = to;
    }
    if (node.copiesWithin && source[from] === OPEN_OBJECT) this.#find(source, from, node);
  }

  /** Notes a member for `*`; one that follows the last without a gap lengthens it. */
  #noteOther(from: number, to: number, node: Node | undefined): void {
    if (node !== undefined && (node.isDropped || node.isNamed)) return;
    const within = node?.dropsWithin === true ? node : undefined;
    const last = this.#ranges.length - 1;
    const isNext = within === undefined && this.#ranges[last] === from - 1 && this.#partial.at(-1) === undefined;
    if (isNext) this.#ranges[last] = to;
    else {
      this.#ranges.push(from, to);
      this.#partial.push(within);
    }
  }

  #writeAll(source: Buffer, out: GrowingBytes): void {
    for (let at = 0; at < this.#ranges.length; at += 2) {
      const [from = 0, to = 0] = [this.#ranges[at], this.#ranges[at + 1]];
      const node = this.#partial[at / 2];
      if (node === undefined) out.copy(source, from, to);
      else {
        const value = afterString(source, from) + 1;
        out.copy(source, from, value);
        writeWithin(source, value, to, node, true, out);
      }
      out.byte(COMMA);
    }
  }

  #writeSlot(source: Buffer, { label, node, isPart }: Slot, index: number, out: GrowingBytes): void {
    const from = this.#starts[index];
    const to = this.#ends[index];
    if (from === undefined || to === undefined || from < 0) return;
    const start = out.length;
    out.copy(label, 0, label.length);
    const isWhole = !isPart || node.isKept;
    if (isWhole && !node.dropsWithin) out.copy(source, from, to);
    else if (!writeWithin(source, from, to, node, isWhole, out)) {
      out.end(start);
      return;
    }
    out.byte(COMMA);
  }
}

const NEWLINE = 0x0a;

/**
 * Writes a value without what is dropped in it and, unless it is kept whole, without what is not kept. A list: each of
 * its elements. Returns false, and writes nothing, for a value that has no such members.
 */
function writeWithin(
  source: Buffer,
  from: number,
  to: number,
  node: Node,
  isWhole: boolean,
  out: GrowingBytes,
): boolean {
  if (source[from] === OPEN_OBJECT) {
    out.byte(OPEN_OBJECT);
    for (let next = from + 1; source[next] !== CLOSE_OBJECT; ) {
      const nameEnd = afterString(source, next);
      const end = afterValue(source, nameEnd + 1);
      writeMember(source, [next, nameEnd + 1, end], childAt(source, next, nameEnd, node), isWhole, out);
      next = afterComma(source, end);
    }
    out.replaceComma(CLOSE_OBJECT);
    return true;
  }
  if (source[from] === OPEN_LIST) {
    out.byte(OPEN_LIST);
    for (let next = from + 1; source[next] !== CLOSE_LIST; ) {
      const end = afterValue(source, next);
      if (writeWithin(source, next, end, node, isWhole, out)) out.byte(COMMA);
      next = afterComma(source, end);
    }
    out.replaceComma(CLOSE_LIST);
    return true;
  }
  if (isWhole) out.copy(source, from, to);
  return isWhole;
}

type Member = readonly [name: number, value: number, end: number];

function writeMember(
  source: Buffer,
  [name, value, end]: Member,
  node: Node | undefined,
  isWhole: boolean,
  out: GrowingBytes,
) {
  if (node?.isDropped === true) return;
  const isKept = isWhole || node?.isKept === true;
  if (!isKept && node?.keepsWithin !== true) return;
  const start = out.length;
  if (node === undefined || (isKept && !node.dropsWithin)) out.copy(source, name, end);
  else {
    out.copy(source, name, value);
    if (!writeWithin(source, value, end, node, isKept, out)) return out.end(start);
  }
  out.byte(COMMA);
}

/** The child whose name is the string between two positions. Most items have their members in the same order. */
function childAt(source: Buffer, from: number, to: number, node: Node): Node | undefined {
  const { children } = node;
  const count = children.length;
  for (let tried = 0, index = node.next; tried < count; tried++, index++) {
    if (index >= count) index -= count;
    const child = children[index];
    if (child !== undefined && isWritten(source, from, to, child.bytes)) {
      node.next = index + 1;
      child.wasSeen = true;
      return child;
    }
  }
  if (count === 0 || !hasBackslash(source, from, to)) return undefined;
  const name = stringAt(source, from, to);
  const found = children.find((child) => child.name === name);
  if (found !== undefined) found.wasSeen = true;
  return found;
}

function hasBackslash(source: Buffer, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (source[at] === BACKSLASH) return true;
  return false;
}
