/**
 * The columns of a table as its items show them: a leaf for each path with values, and a slot for each kind of its
 * values. A slot is a cell of the staged rows. All of it follows from notes, which are staged too.
 */
import { ExtractError } from '../../src/core/errors/errors.js';
import { wellFormed } from '../lone-surrogates.js';
import type { ColumnKind } from '../tables/column-kinds.js';
import { holdsForm, joinedForm, type NumberForm, noDigits } from '../tables/number-forms.js';
import { anyForm, joinedForms, type WrittenForm } from '../tables/text-forms.js';
import { type ColumnNames, createColumnNames } from './column-names.js';
import { folded, nameFault } from './sql.js';

/** The kinds of cells: texts of all forms have one. */
export type SlotKind = Exclude<ColumnKind, WrittenForm>;

/** What a batch adds to the knowledge of a table. */
export type Note =
  | { readonly path: readonly string[]; readonly kind: SlotKind; readonly texts?: WrittenForm }
  | { readonly slot: number; readonly form: NumberForm }
  | { readonly slot: number; readonly texts: WrittenForm }
  /** No row has more bytes. */
  | { readonly rowBytes: number };

/** A path that has occurred in an item. */
export interface SlottedLeaf {
  readonly path: readonly string[];
  /** The path as one name. */
  readonly member: string;
  /** The name of its column. It may change when another leaf comes. */
  readonly name: string;
  /** The kinds of its values and their slots, by first appearance. */
  readonly slots: Map<SlotKind, number>;
}

export interface Slot {
  readonly leaf: SlottedLeaf;
  readonly kind: SlotKind;
  /** The digits of its numbers. */
  form: NumberForm;
  /** The form of its texts; 0: none. */
  texts: WrittenForm;
}

export interface LeafSlots {
  readonly leaves: readonly SlottedLeaf[];
  readonly slots: readonly Slot[];
  readonly rowBytes: number;
  /** How many notes there are. */
  count(): number;
  notesFrom(index: number): readonly Note[];
  /** Applies a note. Throws ERR_SINK if two leaves would be one column. */
  add(note: Note): void;
  /** The index of the slot of a leaf and a kind; it is added if there is none, with the form of no text yet. */
  slotOf(path: readonly string[], kind: SlotKind): number;
  /** The leaves whose members differ from that of a leaf in case only, with the leaf itself. */
  sameButCase(leaf: SlottedLeaf): readonly SlottedLeaf[];
  /** The slot holds a number of this form from now on. */
  grow(slot: number, form: NumberForm): void;
  /** The slot holds texts of this form from now on. True: not all of its texts have had it. */
  narrow(slot: number, texts: WrittenForm): boolean;
  /** A row has so many bytes. */
  hold(rowBytes: number): void;
  /** Forgets all notes from an index on. */
  cut(count: number): void;
}

interface Options {
  /** The member of a path, which is the name of its column. */
  readonly nameOf: (path: readonly string[]) => string;
  /** For messages: `users in out.db`. */
  readonly what: string;
  /** Texts of one form are a kind. */
  readonly findsForms?: boolean;
  /** The columns of members that DuckDB cannot tell apart. Default: as in a new table. */
  readonly names?: ColumnNames;
}

const leastRowBytes = 64 * 1024;

/** Starts without columns. */
export const createLeafSlots = (options: Options): LeafSlots => new GrowingSlots(options);

class GrowingSlots implements LeafSlots {
  readonly #options: Options;
  readonly #notes: Note[] = [];
  readonly #names: ColumnNames;
  /** By member without case. */
  readonly #groups = new Map<string, SlottedLeaf[]>();
  readonly leaves: SlottedLeaf[] = [];
  readonly slots: Slot[] = [];
  rowBytes = leastRowBytes;

  constructor(options: Options) {
    this.#options = options;
    this.#names = options.names ?? createColumnNames();
  }

  count(): number {
    return this.#notes.length;
  }

  notesFrom(index: number): readonly Note[] {
    return this.#notes.slice(index);
  }

  add(note: Note): void {
    if ('rowBytes' in note) this.rowBytes = note.rowBytes;
    else if ('slot' in note) this.#change(note.slot, note);
    else this.#addSlot(this.#leafOf(note.path), note.kind, note.texts);
    this.#notes.push(note);
  }

  slotOf(path: readonly string[], kind: SlotKind): number {
    const known = this.#leafOf(path).slots.get(kind);
    if (known !== undefined) return known;
    this.add({ path, kind, ...(kind === 'text' && this.#options.findsForms && { texts: anyForm }) });
    return this.slots.length - 1;
  }

  sameButCase({ member }: SlottedLeaf): readonly SlottedLeaf[] {
    return this.#groups.get(folded(member)) ?? [];
  }

  grow(slot: number, form: NumberForm): void {
    const known = this.slots[slot]?.form ?? noDigits;
    if (!holdsForm(known, form)) this.add({ slot, form: joinedForm(known, form) });
  }

  narrow(slot: number, texts: WrittenForm): boolean {
    const known = this.slots[slot]?.texts ?? 0;
    const joined = joinedForms(known, texts);
    if (joined === known) return false;
    this.add({ slot, texts: joined });
    return true;
  }

  hold(rowBytes: number): void {
    if (rowBytes > this.rowBytes) this.add({ rowBytes: 2 ** Math.ceil(Math.log2(rowBytes)) });
  }

  cut(count: number): void {
    if (count === this.#notes.length) return;
    const kept = this.#notes.splice(0).slice(0, count);
    this.#names.clear();
    this.#groups.clear();
    this.leaves.length = 0;
    this.slots.length = 0;
    this.rowBytes = leastRowBytes;
    for (const note of kept) this.add(note);
  }

  #change(index: number, { form, texts }: Partial<Pick<Slot, 'form' | 'texts'>>): void {
    const slot = this.slots[index];
    if (slot === undefined) return;
    slot.form = form ?? slot.form;
    slot.texts = texts ?? slot.texts;
  }

  #addSlot(leaf: SlottedLeaf, kind: SlotKind, texts: WrittenForm = 0): void {
    leaf.slots.set(kind, this.slots.length);
    this.slots.push({ leaf, kind, form: noDigits, texts });
  }

  #leafOf(path: readonly string[]): SlottedLeaf {
    const { nameOf, what } = this.#options;
    const member = nameOf(path);
    const group = this.#groups.get(folded(member)) ?? [];
    const other = group.find((each) => each.member === member);
    if (other !== undefined && isSame(other.path, path)) return other;
    if (other !== undefined) throw collapse(what, path, other);
    const fault = nameFault(member);
    if (fault !== undefined) throw unnamed(what, member, fault);
    const names = this.#names;
    names.add(member);
    const leaf: SlottedLeaf = {
      path,
      member,
      slots: new Map(),
      get name() {
        return names.of(member);
      },
    };
    this.#groups.set(folded(member), [...group, leaf]);
    this.leaves.push(leaf);
    return leaf;
  }
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((name, index) => name === other[index]);

const remedy = 'Rename or leave out one of them with --select, or use columns=item.';

function collapse(what: string, path: readonly string[], other: SlottedLeaf): ExtractError {
  const [first, second] = [other.path, path].map((each) => JSON.stringify(each));
  const message = `duckdb: ${what}: the members ${first} and ${second} would be one column, "${other.member}"`;
  return new ExtractError('ERR_SINK', message, { remedy });
}

const unnamed = (what: string, name: string, fault: string) =>
  new ExtractError('ERR_SINK', `duckdb: ${what}: ${JSON.stringify(name)} cannot be the name of a column: ${fault}`, {
    remedy,
  });

/** `["address", "city"]` is `address__city`. An item that is no object has the column `value`. */
export const columnName = (path: readonly string[]): string =>
  path.length === 0 ? 'value' : wellFormed(path.join('__') || '_');
