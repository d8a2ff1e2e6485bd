/** What the reference says of one part of the language, free of any form: pages and help are both made of it. */
import { referencesOf } from '../../language/expression-fields.js';
import { fieldsOf } from '../../language/object-fields.js';
import type { AnyFields, AnyStruct } from '../../language/types.js';

/** One line of a table. */
export interface ReferenceRow {
  readonly name: string;
  /** In words. */
  readonly type?: string;
  readonly required?: boolean;
  /** As it would be written. */
  readonly default?: string;
  /** What holds without it, in words. */
  readonly otherwise?: string;
  readonly summary: string;
  /** The topic, or the entry of its own topic, that tells the rest. */
  readonly see?: string;
}

/** The lines of an entry itself, or (with `of`) of one of its keys. */
export interface Table {
  readonly of?: string;
  readonly rows: readonly ReferenceRow[];
}

export interface ReferenceEntry {
  readonly name: string;
  readonly summary: string;
  /** Short answers, each to a question of one or two words. */
  readonly facts?: readonly (readonly [question: string, answer: string])[];
  readonly tables: readonly Table[];
  readonly rules?: readonly string[];
  readonly example?: Example;
}

export interface Example {
  readonly text: string;
  readonly language: 'json' | 'shell';
  /** What it evaluates to. */
  readonly gives?: string;
}

/** The fields as tables: their own first, then one for each key that has fields itself, deeper ones behind it. */
export function tablesOf(
  fields: AnyFields,
  seeOf: (key: string) => string | undefined = () => undefined,
): readonly Table[] {
  return [{ rows: rowsOf(fields, seeOf) }, ...innerTables(fields, '')];
}

function rowsOf(fields: AnyFields, seeOf: (key: string) => string | undefined): readonly ReferenceRow[] {
  return Object.entries(fields).map(([name, { type, ...rest }]) => {
    const see = seeOf(name);
    return { name, type: inWords(type), ...rest, ...(see === undefined ? {} : { see }) };
  });
}

function innerTables(fields: AnyFields, prefix: string): readonly Table[] {
  return Object.entries(fields).flatMap(([name, { type }]) => {
    const inner = fieldsOf(type);
    if (inner === undefined) return [];
    const of = `${prefix}${name}`;
    return [{ of, rows: rowsOf(inner, () => undefined) }, ...innerTables(inner, `${of}.`)];
  });
}

/** A type as a reader wants to hear it. */
function inWords(struct: AnyStruct): string {
  const references = referencesOf(struct);
  if (references === undefined || !struct.type.startsWith('an object')) return struct.type;
  return `${struct.type} of expressions over ${references.map((each) => `\`${each}\``).join(' and ')}`;
}

/** The dotted paths below which expressions with this reference are evaluated. */
export function placesOf(reference: string, fields: AnyFields, prefix: string): readonly string[] {
  return Object.entries(fields).flatMap(([key, { type }]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const own = referencesOf(type)?.some((each) => each === reference) === true ? [path] : [];
    return [...own, ...placesOf(reference, fieldsOf(type) ?? {}, path)];
  });
}
