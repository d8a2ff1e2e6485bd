/** The columns of a Parquet file, from the shape of its items. docs/decisions/037. */
import type { ColumnChange } from '../contract.js';
import { areDoubles } from '../tables/number-forms.js';
import { type TextType, typeOfForm, type WrittenForm } from '../tables/text-forms.js';
import { BOOLEAN, LIST, type Member, NUMBER, OBJECT, type Shape, TEXT, tooMany } from './item-shape.js';

/** Where a value is, and how it is written. */
export type ParquetField = StructField | ListField | LeafField;

interface Common {
  readonly name: string;
  /** The definition level of a value that is not null. */
  readonly defined: number;
  /** Its leaves have the numbers from `firstLeaf` to before `endLeaf`. */
  readonly firstLeaf: number;
  readonly endLeaf: number;
  /** The last object that had it. */
  seen: number;
}

/** An object. */
export interface StructField extends Common {
  readonly type: 'struct';
  readonly members: readonly MemberField[];
  /** By name. */
  readonly byName: ReadonlyMap<string, MemberField>;
}

interface MemberField {
  /** The name as it was first written in an item, with its quotes. */
  readonly raw: Buffer;
  readonly index: number;
  readonly field: ParquetField;
}

export interface ListField extends Common {
  readonly type: 'list';
  readonly element: ParquetField;
  /** The repetition level of each element but the first. */
  readonly repeated: number;
}

/** A column of the file. */
export interface LeafField extends Common {
  readonly type: 'leaf';
  readonly kind: LeafKind;
  /** The kinds of values that it can hold. */
  readonly accepts: number;
  /** Digits after the point of a decimal, and of all its digits. */
  readonly scale: number;
  readonly precision: number;
  /** The form of the texts that it has as a type; 0: none. */
  readonly form: WrittenForm;
  readonly path: readonly string[];
  /** The highest repetition level. */
  readonly repeated: number;
}

export type LeafKind = 'boolean' | 'integer' | 'decimal' | 'double' | 'text' | 'json' | TextType;

export interface FieldOptions {
  readonly dataType: string;
  /** Objects and lists are text. */
  readonly nestedAsJson: boolean;
}

export interface ParquetSchema {
  readonly root: StructField;
  readonly leaves: readonly LeafField[];
  /** Columns whose type is not that of their first value. */
  readonly changed: readonly ColumnChange[];
}

/** Each leaf needs memory, and each of its row groups an entry at the end of the file. */
const mostLeaves = 20_000;

/** Decimals of so many digits have 8 bytes, others 16. */
export const shortDigits = 18;
const longDigits = 38;

/** Where a field is among the others. */
interface Place {
  readonly path: readonly string[];
  /** The levels of what it is in. */
  readonly defined: number;
  readonly repeated: number;
}

/** Throws ERR_SINK if there are too many columns. */
export function fieldsOf(shape: Shape, options: FieldOptions): ParquetSchema {
  const maker = new FieldMaker(options);
  const root = maker.struct(shape.members ?? [], '', { path: [], defined: -1, repeated: 0 });
  return { root, leaves: maker.leaves, changed: maker.changed };
}

class FieldMaker {
  readonly leaves: LeafField[] = [];
  readonly changed: ColumnChange[] = [];
  readonly #options: FieldOptions;

  constructor(options: FieldOptions) {
    this.#options = options;
  }

  struct(members: readonly Member[], name: string, place: Place): StructField {
    const firstLeaf = this.leaves.length;
    const inside = { ...place, defined: place.defined + 1 };
    const made = members.map(({ raw, index, shape, written }) => ({
      raw,
      index,
      name: written,
      field: this.#field(shape, written, { ...inside, path: [...place.path, written] }),
    }));
    const byName = new Map(made.map((member) => [member.name, member]));
    const common = { name, defined: inside.defined, firstLeaf, endLeaf: this.leaves.length, seen: 0 };
    return { ...common, type: 'struct', members: made, byName };
  }

  #field(shape: Shape, name: string, place: Place): ParquetField {
    const { kinds, first, members, element } = shape;
    const isNested = members !== undefined && !this.#options.nestedAsJson;
    if (kinds === OBJECT && isNested && members.length > 0) return this.struct(members, name, place);
    if (kinds === LIST && isNested && element !== undefined) return this.#list(element, name, place);
    const leaf = this.#leaf(shape, name, place);
    const to = typeOf(leaf);
    const isFirst = first === undefined || to.startsWith(first) || [TEXT, OBJECT, LIST].includes(kinds);
    if (!isFirst) this.changed.push({ column: place.path.join('.'), from: first, to });
    return leaf;
  }

  #list(element: Shape, name: string, place: Place): ListField {
    const firstLeaf = this.leaves.length;
    const repeated = place.repeated + 1;
    const made = this.#field(element, 'element', {
      defined: place.defined + 2,
      repeated,
      path: [...place.path, 'list', 'element'],
    });
    const common = { name, defined: place.defined + 1, firstLeaf, endLeaf: this.leaves.length, seen: 0 };
    return { ...common, type: 'list', element: made, repeated };
  }

  #leaf(shape: Shape, name: string, { path, defined, repeated }: Place): LeafField {
    const index = this.leaves.length;
    if (index >= mostLeaves) throw tooMany(this.#options.dataType, mostLeaves);
    const common = { name, defined: defined + 1, firstLeaf: index, endLeaf: index + 1, seen: 0 };
    const leaf: LeafField = { ...common, type: 'leaf', ...this.#contentOf(shape), path, repeated };
    this.leaves.push(leaf);
    return leaf;
  }

  #contentOf(shape: Shape): Pick<LeafField, 'kind' | 'accepts' | 'scale' | 'precision' | 'form'> {
    const { kinds, texts: form } = shape;
    const numberless = { scale: 0, precision: 0, form: 0 };
    if (kinds === TEXT && form > 0) return { ...numberless, kind: typeOfForm(form), accepts: TEXT, form };
    if (kinds === BOOLEAN) return { kind: 'boolean', accepts: BOOLEAN, ...numberless };
    if (kinds === NUMBER) return { ...numberType(shape), accepts: kindsOfNumbers(shape), form: 0 };
    // A text holds all scalars as they are written. Without any value yet, another type may be better.
    if ((kinds & (OBJECT | LIST)) === 0) {
      return { kind: 'text', accepts: kinds === 0 ? TEXT : TEXT | NUMBER | BOOLEAN, ...numberless };
    }
    const isMixed = kinds !== OBJECT && kinds !== LIST;
    const accepts = isMixed ? TEXT | NUMBER | BOOLEAN | OBJECT | LIST : kinds;
    const isOpen = shape.members?.length === 0 && kinds === OBJECT && !this.#options.nestedAsJson;
    return { kind: 'json', accepts: isOpen ? EMPTY_OBJECT : accepts, ...numberless };
  }
}

/** Accepts only objects without members: with one, the column is no text any more. */
export const EMPTY_OBJECT = 32;

/** A text that holds numbers only because they are too long accepts all scalars, as one of texts. */
const kindsOfNumbers = (shape: Shape): number => (numberType(shape).kind === 'text' ? TEXT | NUMBER | BOOLEAN : NUMBER);

function numberType({ isInt64, isDouble, whole, scale }: Shape): Pick<LeafField, 'kind' | 'scale' | 'precision'> {
  if (isInt64) return { kind: 'integer', scale: 0, precision: 0 };
  if (areDoubles({ whole, scale, fitsDouble: isDouble })) return { kind: 'double', scale: 0, precision: 0 };
  if (whole + scale <= longDigits) {
    return { kind: 'decimal', scale, precision: whole + scale <= shortDigits ? shortDigits : longDigits };
  }
  return { kind: isDouble ? 'double' : 'text', scale: 0, precision: 0 };
}

/** The type of a column in words of Parquet. */
export function typeOf({ kind, precision, scale }: LeafField): string {
  if (kind === 'decimal') return `DECIMAL(${precision}, ${scale})`;
  return typeNames[kind];
}

const typeNames = {
  boolean: 'BOOLEAN',
  integer: 'INT64',
  double: 'DOUBLE',
  text: 'STRING',
  json: 'JSON',
  date: 'DATE',
  time: 'TIMESTAMP(MICROS)',
  instant: 'TIMESTAMP(MICROS, UTC)',
  uuid: 'UUID',
} as const;
