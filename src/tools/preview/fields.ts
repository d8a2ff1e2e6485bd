/** The fields of items: their types, how many items have them, and how their values begin. Parses nothing. */
import { anyForm, joinedForms, textForm, typeOfForm, type WrittenForm } from '../../../sinks/tables/text-forms.js';
import {
  afterComma,
  afterString,
  afterValue,
  BACKSLASH,
  CLOSE_OBJECT,
  OPEN_OBJECT,
  QUOTE,
  stringAt,
} from '../../core/json/byte-steps.js';
import { type Items, startOf } from '../../core/model/batch.js';
import { asBuffer } from '../../core/util/as-buffer.js';

/** A member of an item. */
export interface SampledMember {
  readonly type: string;
  /** Of a text; 0: none. */
  readonly form?: WrittenForm;
  /** How the value begins, on one line. */
  readonly text: string;
  /** There is more of it. */
  readonly isCut: boolean;
}

/** The members of an item by name; an item that is no object has one, `value`. */
export type SampledItem = ReadonlyMap<string, SampledMember>;

/** One member of the items. */
export interface ItemField {
  readonly name: string;
  /** In the order of their first item, such as `integer`, `null`. */
  readonly types: readonly string[];
  /** How many items have it. */
  readonly count: number;
}

/** More members of an item are not read: an object whose names are keys of a table can have millions. */
export const mostFields = 500;
/** Bytes of a value that are read: more than a column shows. */
const mostOfValue = 200;
/** Of a name: a longer one is cut where it is printed, and masked as one that is cut. */
const mostOfName = 64 * 1024;

/** Reads the item at `index` of a slab, in memory that does not depend on its size. */
export function sampleItem(items: Pick<Items, 'bytes' | 'offsets'>, index: number): SampledItem {
  const bytes = asBuffer(items.bytes);
  const start = startOf(items, index);
  if (bytes[start] !== OPEN_OBJECT) return new Map([['value', memberAt(bytes, start, afterValue(bytes, start))]]);
  const members = new Map<string, SampledMember>();
  for (let at = start + 1; bytes[at] !== CLOSE_OBJECT && members.size < mostFields; ) {
    const value = afterString(bytes, at) + 1;
    const end = afterValue(bytes, value);
    members.set(startOfString(bytes, at, value - 1, mostOfName).text, memberAt(bytes, value, end));
    at = afterComma(bytes, end);
  }
  return members;
}

function memberAt(bytes: Buffer, from: number, to: number): SampledMember {
  if (bytes[from] === QUOTE) {
    const { text, isCut } = startOfString(bytes, from, to, mostOfValue);
    const form = isCut ? 0 : textForm(bytes, from + 1, to - 1);
    return { type: address.test(text) ? 'address' : 'text', form, text, isCut };
  }
  const end = characterEnd(bytes, Math.min(to, from + mostOfValue), to);
  const text = bytes.toString('utf8', from, end);
  return { type: typeOfOther(text), text, isCut: end < to };
}

/** The start of the string between two positions, its quotes included. */
function startOfString(bytes: Buffer, from: number, to: number, length: number) {
  const most = Math.min(to - 1, from + length);
  let end = from + 1;
  for (let next = end; next <= most; next += lengthAt(bytes, next)) end = next;
  end = characterEnd(bytes, end, to - 1);
  const isCut = end < to - 1;
  const text = stringAt(bytes, from, end + 1);
  return { text: isCut ? text.replace(/[\uD800-\uDBFF]$/, '') : text, isCut };
}

/** The length of a byte or of an escape. */
const lengthAt = (bytes: Buffer, at: number): number =>
  bytes[at] !== BACKSLASH ? 1 : bytes[at + 1] === LETTER_U ? 6 : 2;
const LETTER_U = 0x75;

/** The end of the last whole character of UTF-8 before `at`. */
function characterEnd(bytes: Buffer, at: number, to: number): number {
  let end = at;
  while (end < to && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

/** What the texts of a form are, as columns of databases name it. */
const formNames = { date: 'date', uuid: 'uuid', time: 'timestamp', instant: 'timestamptz' } as const;

/** The fields of items, in the order of their first item. Texts that are all of one form have its type. */
export function fieldsOf(items: readonly SampledItem[]): readonly ItemField[] {
  const found = new Map<string, { types: Set<string>; form: WrittenForm; count: number }>();
  for (const item of items) {
    for (const [name, { type, form }] of item) {
      const field = found.get(name) ?? { types: new Set(), form: anyForm, count: 0 };
      field.types.add(type);
      if (form !== undefined) field.form = joinedForms(field.form, form);
      field.count += 1;
      if (found.size < mostFields || found.has(name)) found.set(name, field);
    }
  }
  return [...found].map(([name, { types, form, count }]) => {
    const ofText = form > 0 ? formNames[typeOfForm(form)] : 'text';
    return { name, types: [...types].map((type) => (type === 'text' ? ofText : type)), count };
  });
}

const address = /^https?:\/\/\S+$/;

/** The type of a value that is no text, as JSON writes it. Integers are apart from other numbers. */
function typeOfOther(text: string): string {
  if (/^[[{]/.test(text)) return text.startsWith('[') ? 'list' : 'object';
  if (/^[ntf]/.test(text)) return text === 'null' ? 'null' : 'boolean';
  return /^-?\d+$/.test(text) ? 'integer' : 'decimal';
}
