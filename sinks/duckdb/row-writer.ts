/**
 * Writes items as staged rows: CSV, a cell for each slot after an empty first one, short rows at their end. Rows whose
 * first cell has a value are notes: the slots, and the place of the items that follow.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import {
  afterComma,
  afterString,
  afterValue,
  CLOSE_OBJECT,
  COMMA,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  stringAt,
} from '../../src/core/json/byte-steps.js';
import { type Batch, startOf } from '../../src/core/model/batch.js';
import { asBuffer } from '../../src/core/util/as-buffer.js';
import { LF, writeQuoted, writeUnescaped } from '../csv/csv-cells.js';
import { atItems } from '../errors.js';
import { type BytePool, createBytes, type GrowingBytes } from '../growing-bytes.js';
import { createBackslashes } from '../json-escapes.js';
import { hasLoneSurrogate, wellFormedJson } from '../lone-surrogates.js';
import { kindOfDigits } from '../tables/column-kinds.js';
import { MemberTree, type TreeMember } from '../tables/member-tree.js';
import { afterDigits, holdsDigits, noDigits, numberForm } from '../tables/number-forms.js';
import { anyForm, textForm } from '../tables/text-forms.js';
import { isItemFault, itemFault } from './duckdb-errors.js';
import type { LeafSlots, SlotKind } from './leaf-slots.js';
import { type PlaceNote, writeNote } from './row-notes.js';

export interface SlotRows {
  /**
   * The rows of a batch, with its notes. Throws ERR_SINK with the place of an item that the table cannot hold, unless
   * it may leave items out.
   */
  encode(batch: Batch, leaveOut?: LeaveOut): Buffer;
  /** Forgets all that it knows of slots: some were removed. */
  forget(): void;
}

/** The items of a batch that have no row, by index. */
export interface LeaveOut {
  has(index: number): boolean;
  /** The table cannot hold the item: it has no row. */
  add(index: number, fault: ExtractError): void;
}

export interface RowOptions {
  readonly slots: LeafSlots;
  /** The item is the only cell, as JSON. */
  readonly isWhole: boolean;
  /** Paths that each item must have. */
  readonly keys: readonly (readonly string[])[];
  /** Called for a text with a lone surrogate, which becomes U+FFFD. */
  readonly onLoneSurrogate: () => void;
  /** Called for a slot that is new, or holds more than before. Throws ERR_SINK if the table cannot have it. */
  readonly onSlot: (slot: number) => void;
  /** Has the memory of encoded rows; absent: those of each batch have their own. */
  readonly pool?: BytePool | undefined;
}

/** What the writer knows of a member. */
interface Values {
  /** By the kind of a value. */
  readonly slots: Map<SlotKind, number>;
  /** The slot of its value in the current item; -1: none. */
  current: number;
}

type Node = TreeMember<Values>;

const createMembers = () => new MemberTree<Values>(() => ({ slots: new Map(), current: -1 }));

export const createSlotRows = (options: RowOptions): SlotRows => new SlotWriter(options);

class SlotWriter implements SlotRows {
  readonly #options: RowOptions;
  #members = createMembers();
  #starts = new Int32Array(64).fill(-1);
  #ends = new Int32Array(64);
  /** The highest slot of the current item. */
  #last = -1;
  /** Nodes with a value in the current item. */
  readonly #filled: Node[] = [];
  #backslashes = createBackslashes(Buffer.alloc(0));
  /** The current item has a backslash. */
  #isEscaped = false;

  constructor(options: RowOptions) {
    this.#options = options;
  }

  forget(): void {
    this.#members = createMembers();
    this.#filled.length = 0;
  }

  encode(batch: Batch, leaveOut?: LeaveOut): Buffer {
    const { slots } = this.#options;
    const before = slots.count();
    const source = asBuffer(batch.bytes);
    const out = createBytes(Math.ceil(source.length * 1.125) + 1024, this.#options.pool);
    const { job, page, offset } = batch;
    this.#backslashes = createBackslashes(source);
    let isPlaced = false;
    for (let index = 0; index < batch.count; index++) {
      if (leaveOut?.has(index) === true) {
        isPlaced = false;
        continue;
      }
      if (!isPlaced) writeNote({ job, page, offset: offset + index } satisfies PlaceNote, out);
      isPlaced = true;
      const start = out.length;
      const known = slots.count();
      try {
        this.#writeItem(source, startOf(batch, index), startOf(batch, index + 1) - 1, out);
        slots.hold(out.length - start);
      } catch (thrown) {
        if (!(thrown instanceof ExtractError)) throw thrown;
        if (leaveOut === undefined || !isItemFault(thrown)) throw atItems(thrown, batch, index);
        out.end(start);
        this.#undo(known);
        leaveOut.add(index, thrown);
        isPlaced = false;
      }
    }
    for (const note of slots.notesFrom(before)) writeNote(note, out);
    return out.take();
  }

  /** Forgets the slots of an item that has no row. */
  #undo(count: number): void {
    const { slots } = this.#options;
    if (count === slots.count()) return;
    slots.cut(count);
    this.forget();
  }

  #writeItem(source: Buffer, from: number, to: number, out: GrowingBytes): void {
    const { isWhole } = this.#options;
    for (const node of this.#filled) node.current = -1;
    this.#filled.length = 0;
    this.#starts.fill(-1, 0, this.#last + 1);
    this.#last = -1;
    this.#isEscaped = this.#backslashes.areBetween(from, to);
    if (isWhole) this.#place(this.#members.root, 'json', from, to);
    else this.#readValue(source, from, this.#members.root);
    this.#mustHaveKeys(source, from);
    for (let slot = 0; slot <= this.#last; slot++) {
      out.byte(COMMA);
      const start = this.#starts[slot] ?? -1;
      if (start >= 0) this.#writeCell(slot, source, start, this.#ends[slot] ?? start, out);
    }
    if (this.#last < 0) out.byte(COMMA);
    out.byte(LF);
  }

  /** Notes the leaves of a value. Returns the position after it. */
  #readValue(source: Buffer, from: number, node: Node): number {
    const first = source[from];
    if (first === OPEN_OBJECT) return this.#readObject(source, from, node);
    const to = first === QUOTE ? afterString(source, from) : afterValue(source, from);
    if (first === QUOTE) this.#placeText(source, node, from, to);
    else if (first === OPEN_LIST) this.#place(node, 'json', from, to);
    else if (first === letterT || first === letterF) this.#place(node, 'boolean', from, to);
    else if (first === letterN) this.#clear(node);
    else this.#placeNumber(source, node, from, to);
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

  #placeNumber(source: Buffer, node: Node, from: number, to: number): void {
    const { slots } = this.#options;
    const first = source[from] === minus ? from + 1 : from;
    const point = afterDigits(source, first);
    const end = source[point] === decimalPoint ? afterDigits(source, point + 1) : point;
    const slot = this.#place(node, point < to ? 'decimal' : kindOfDigits(source, from, to), from, to);
    const form = slots.slots[slot]?.form ?? noDigits;
    const whole = source[first] === zero ? 0 : point - first;
    const scale = Math.max(0, end - point - 1);
    if (end === to && holdsDigits(form, { source, from, to, whole, scale })) return;
    const known = slots.count();
    slots.grow(slot, numberForm(source.toString('latin1', from, to)));
    if (slots.count() > known) this.#options.onSlot(slot);
  }

  #placeText(source: Buffer, node: Node, from: number, to: number): void {
    const { slots, onSlot } = this.#options;
    const slot = this.#place(node, 'text', from, to);
    const known = slots.slots[slot]?.texts ?? 0;
    if (known === 0) return;
    const form = textForm(source, from + 1, to - 1);
    if (form !== known && slots.narrow(slot, form)) onSlot(slot);
  }

  #place(node: Node, kind: SlotKind, from: number, to: number): number {
    const slot = node.slots.get(kind) ?? this.#addSlot(node, kind);
    if (node.current < 0) this.#filled.push(node);
    else this.#starts[node.current] = -1; // Of several equal names the last one counts.
    node.current = slot;
    this.#starts[slot] = from;
    this.#ends[slot] = to;
    if (slot > this.#last) this.#last = slot;
    return slot;
  }

  #clear(node: Node): void {
    if (node.current >= 0) this.#starts[node.current] = -1;
  }

  #addSlot(node: Node, kind: SlotKind): number {
    const { slots, onSlot } = this.#options;
    const before = slots.slots.length;
    const slot = slots.slotOf(node.path, kind);
    node.slots.set(kind, slot);
    // What a text is will be known at once.
    if (slot >= before && slots.slots[slot]?.texts !== anyForm) onSlot(slot);
    if (slot >= this.#starts.length) {
      this.#starts = longer(this.#starts, slot * 2);
      this.#ends = longer(this.#ends, slot * 2);
    }
    return slot;
  }

  #writeCell(slot: number, source: Buffer, from: number, to: number, out: GrowingBytes): void {
    const kind = this.#options.slots.slots[slot]?.kind;
    if (kind !== 'text' && kind !== 'json') out.copy(source, from, to);
    else if (!this.#hasEscape(from, to)) {
      if (kind === 'text') out.copy(source, from, to);
      else writeQuoted(source, from, to, out);
    } else if (kind === 'json') {
      writeText(wellFormedJson(source.toString('utf8', from, to), this.#options.onLoneSurrogate), out);
    } else if (!writeUnescaped(source, from, to, true, out)) writeText(this.#decoded(source, from, to), out);
  }

  /** Most items have no escape: then no cell is looked at. */
  #hasEscape(from: number, to: number): boolean {
    return this.#isEscaped && this.#backslashes.areBetween(from, to);
  }

  #decoded(source: Buffer, from: number, to: number): string {
    const text = stringAt(source, from, to);
    if (hasLoneSurrogate(text)) this.#options.onLoneSurrogate();
    return text;
  }

  #mustHaveKeys(source: Buffer, from: number): void {
    const { keys, isWhole } = this.#options;
    for (const key of keys) {
      if (isWhole ? hasMember(source, from, key) : this.#hasValue(key)) continue;
      throw itemFault(new ExtractError('ERR_SINK', `duckdb: the item has no key "${key.join('.')}"`));
    }
  }

  #hasValue(path: readonly string[]): boolean {
    const node = path.reduce<Node | undefined>((parent, name) => parent?.byName.get(name), this.#members.root);
    return node !== undefined && node.current >= 0 && (this.#starts[node.current] ?? -1) >= 0;
  }
}

function writeText(text: string, out: GrowingBytes): void {
  const bytes = Buffer.from(text);
  writeQuoted(bytes, 0, bytes.length, out);
}

const [letterT, letterF, letterN] = [0x74, 0x66, 0x6e];
const [zero, minus, decimalPoint] = [0x30, 0x2d, 0x2e];

/** Whether the item has a value other than null at the path. */
function hasMember(source: Buffer, from: number, path: readonly string[]): boolean {
  let at = from;
  for (const name of path) {
    const found = memberIn(source, at, name);
    if (found === undefined) return false;
    at = found;
  }
  return source[at] !== letterN && source[at] !== OPEN_OBJECT && source[at] !== OPEN_LIST;
}

function memberIn(source: Buffer, from: number, name: string): number | undefined {
  if (source[from] !== OPEN_OBJECT) return undefined;
  let found: number | undefined;
  for (let at = from + 1; source[at] !== CLOSE_OBJECT; ) {
    const colon = afterString(source, at);
    if (stringAt(source, at, colon) === name) found = colon + 1;
    at = afterComma(source, afterValue(source, colon + 1));
  }
  return found;
}

function longer(list: Int32Array, size: number): Int32Array<ArrayBuffer> {
  const made = new Int32Array(size).fill(-1);
  made.set(list);
  return made;
}
