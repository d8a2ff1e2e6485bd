/** The content of a reference entry, independent of its format: pages and help are made of it. */

import type { Kind, OptionRows } from '../../core/options/kind.js';
import { writtenDefault } from '../../core/options/object-kinds.js';
import { expectedBy } from '../../core/options/read-options.js';
import { defined } from '../../core/util/defined.js';

/** One row of a table. */
export interface ReferenceRow {
  readonly name: string;
  /** In words. */
  readonly type?: string;
  readonly required?: boolean;
  /** As written in a configuration. */
  readonly default?: string;
  /** What applies without it, in words. */
  readonly otherwise?: string;
  readonly summary: string;
  /** The topic, or the entry of its own topic, with the details. */
  readonly see?: string;
}

/** The rows of an entry, or (with `of`) of one of its keys. */
export interface Table {
  readonly of?: string;
  readonly rows: readonly ReferenceRow[];
}

export interface ReferenceEntry {
  readonly name: string;
  readonly summary: string;
  /** Short answers to questions of one or two words. */
  readonly facts?: readonly (readonly [question: string, answer: string])[];
  readonly tables: readonly Table[];
  readonly rules?: readonly string[];
  readonly example?: Example;
}

export interface Example {
  readonly text: string;
  readonly language: 'json' | 'shell';
  /** The result of its example. */
  readonly gives?: string;
}

/** Returns the fields as tables: first the entry's own, then one for each key with fields, deeper ones after it. */
export function fieldTables(
  fields: OptionRows,
  seeOf: (key: string) => string | undefined = () => undefined,
): readonly Table[] {
  return [{ rows: rowsOf(fields, seeOf) }, ...innerTables(fields, '')];
}

function rowsOf(fields: OptionRows, seeOf: (key: string) => string | undefined): readonly ReferenceRow[] {
  return Object.entries(fields).map(([name, row]) => {
    const { summary, required, otherwise } = row;
    const optional = defined({ required, default: writtenDefault(row), otherwise, see: seeOf(name) });
    return { name, type: describeType(row.kind), summary, ...optional };
  });
}

/** The rows of options that are written as text: in an address. */
export const optionRows = (rows: OptionRows): readonly ReferenceRow[] =>
  rowsOf(rows, () => undefined).map((row) => ({ ...row, type: typeAsText(rows[row.name]?.kind) ?? row.type ?? '' }));

const typeAsText = (kind: Kind<unknown> | undefined): string | undefined =>
  kind &&
  (kind.offers
    ?.map((each) => `\`${each}\``)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ') ??
    expectedBy(kind, 'text'));

function innerTables(fields: OptionRows, prefix: string): readonly Table[] {
  return Object.entries(fields).flatMap(
    ([
      name,
      {
        kind: { rows: inner },
      },
    ]) => {
      if (inner === undefined) return [];
      const of = `${prefix}${name}`;
      return [{ of, rows: rowsOf(inner, () => undefined) }, ...innerTables(inner, `${of}.`)];
    },
  );
}

/** Describes a kind in words. */
function describeType({ struct, references }: Kind<unknown>): string {
  if (references === undefined || !struct.type.startsWith('an object')) return struct.type;
  return `${struct.type} of expressions over ${references.map((each) => `\`${each}\``).join(' and ')}`;
}

/** Returns the dotted paths of values in which expressions with this reference are evaluated. */
export function placesOf(reference: string, fields: OptionRows, prefix: string): readonly string[] {
  return Object.entries(fields).flatMap(([key, { kind }]) => {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    const own = kind.references?.some((each) => each === reference) === true ? [path] : [];
    return [...own, ...placesOf(reference, kind.rows ?? {}, path)];
  });
}
