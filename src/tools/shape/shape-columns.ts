/** The columns of a shape, with the names and types that `duckdb:` and `postgres:` with `columns=typed` give them. */
import { typeFor } from '../../../sinks/duckdb/column-types.js';
import { createLeafSlots, columnName as nameInDuckdb } from '../../../sinks/duckdb/leaf-slots.js';
import { quoted as quotedInDuckdb } from '../../../sinks/duckdb/sql.js';
import { needOf } from '../../../sinks/duckdb/target-table.js';
import { quoted as quotedInPostgres } from '../../../sinks/postgres/sql.js';
import { columnName as nameInPostgres, typeOf } from '../../../sinks/postgres/typed-columns.js';
import type { TextFormat, ValueShape } from '../../../sinks/shape/value-shape.js';
import { type ColumnKind, kindOfNumber, widened } from '../../../sinks/tables/column-kinds.js';
import { collapse } from '../../../sinks/tables/leaves.js';
import { joinedForm, type NumberForm, noDigits, numberForm } from '../../../sinks/tables/number-forms.js';
import { formOfType, type TextType } from '../../../sinks/tables/text-forms.js';

export interface ShapeColumn {
  readonly name: string;
  /** As the database writes it. */
  readonly type: string;
  readonly shape: ValueShape;
  /** Each item has a value. */
  readonly isRequired: boolean;
}

/** The databases that tables are written for. */
export const databases = ['postgres', 'duckdb'] as const;
export type Database = (typeof databases)[number];

const quotes = { postgres: quotedInPostgres, duckdb: quotedInDuckdb } as const;

export const quotedIn = (database: Database, name: string, what: string): string => quotes[database](name, what);

/**
 * The columns of the items of a data type: one for each value that is no object. Throws ERR_SINK for a name that no
 * column can have, and for two members that would be one column.
 */
export function columnsOf(dataType: string, shape: ValueShape, database: Database): readonly ShapeColumn[] {
  const leaves = leavesAt(shape, [], true);
  const columns = (database === 'duckdb' ? inDuckdb : inPostgres)(`the table "${dataType}"`, leaves);
  return leaves.flatMap(({ shape: own, isRequired }, index) => {
    const column = columns[index];
    return column === undefined ? [] : [{ ...column, shape: own, isRequired }];
  });
}

/** A path with values that are no objects. */
interface ShapeLeaf extends Pick<ShapeColumn, 'shape' | 'isRequired'> {
  readonly path: readonly string[];
  /** By first appearance; not empty. */
  readonly kinds: readonly ColumnKind[];
}

/** An object whose names are keys of a table is a value. */
function leavesAt(shape: ValueShape, path: readonly string[], isRequired: boolean): readonly ShapeLeaf[] {
  const { types, properties, required, rest } = shape;
  const isSplit = types.has('object') && rest === undefined;
  const kinds = kindsOf(shape, isSplit);
  const isAlways = isRequired && !types.has('null');
  const own = { path, shape, kinds, isRequired: isAlways && types.size > 0 && !isSplit };
  const members = !isSplit
    ? []
    : [...properties].flatMap(([name, member]) =>
        leavesAt(member, [...path, name], isAlways && kinds.length === 0 && required.has(name)),
      );
  return kinds.length === 0 ? members : [own, ...members];
}

/** The kinds of values that a column has. */
function kindsOf(shape: ValueShape, isSplit: boolean): readonly ColumnKind[] {
  const { types, seen } = shape;
  if (types.size === 0) return ['json'];
  return [...types].flatMap((type): ColumnKind[] => {
    if (type === 'null' || (type === 'object' && isSplit)) return [];
    if (type === 'array' || type === 'object') return ['json'];
    if (type === 'integer') return [(seen?.range ?? []).map(kindOfNumber).reduce(widened, 'integer')];
    return [type === 'string' ? textKind(shape) : type === 'number' ? 'decimal' : type];
  });
}

const formatTypes: Readonly<Record<TextFormat, TextType>> = { date: 'date', 'date-time': 'instant', uuid: 'uuid' };

/** What was seen of texts says more than their format: an offset other than that of UTC has no type. */
function textKind({ format, seen }: ValueShape): ColumnKind {
  const text = seen?.column ?? (format === undefined ? 'text' : formatTypes[format]);
  return text === 'text' ? text : formOfType(text);
}

/** Numbers of which nothing was seen: many digits, which a double has. */
const unknownDigits: NumberForm = { whole: 0, scale: 100, fitsDouble: true };

function digitsOf({ types, seen }: ValueShape): NumberForm {
  const { digits, range } = seen ?? {};
  if (types.has('number')) return digits ?? unknownDigits;
  return [...(range ?? []).map(numberForm), digits ?? noDigits].reduce(joinedForm);
}

type NamedType = Pick<ShapeColumn, 'name' | 'type'>;

/** As the sink makes a table of what it knows of its items. */
function inDuckdb(what: string, leaves: readonly ShapeLeaf[]): readonly NamedType[] {
  const slots = createLeafSlots({ nameOf: nameInDuckdb, what, findsForms: true });
  for (const { path, kinds, shape } of leaves) {
    for (const kind of kinds) {
      const slot = slots.slotOf(path, typeof kind === 'number' ? 'text' : kind);
      if (typeof kind === 'number' || kind === 'text') slots.narrow(slot, kind === 'text' ? 0 : kind);
      else if (kind === 'integer' || kind === 'decimal') slots.grow(slot, digitsOf(shape));
    }
  }
  return slots.leaves.map((leaf) => ({ name: leaf.name, type: typeFor(needOf(leaf, slots)) }));
}

function inPostgres(what: string, leaves: readonly ShapeLeaf[]): readonly NamedType[] {
  const named = new Map<string, ShapeLeaf>();
  return leaves.map((leaf) => {
    const name = nameInPostgres(leaf.path);
    const other = named.get(name);
    if (other !== undefined) throw collapse(`postgres: ${what}`, { ...leaf, name }, { ...other, name });
    named.set(name, leaf);
    return { name, type: typeOf(leaf.kinds.reduce(widened), { type: 'jsonb' }) };
  });
}
