/** Reads `config.mappings`. docs/15-tables.md#mappings. */
import { type Exact, type ExactObject, splitPath } from '../core/json/exact.js';
import { kind, type OptionRows } from '../core/options/kind.js';
import { nonEmptyText, word } from '../core/options/kinds.js';
import { objectOf } from '../core/options/object-kinds.js';
import {
  headerOf,
  type MappedColumn,
  type MappedEntry,
  type MappedList,
  type TableMapping,
  type TableMappings,
} from '../core/tables/mapping.js';
import { combineList, defined } from '../core/util/defined.js';
import type { ConfigPath } from '../language/config-path.js';
import { boolean, object } from '../language/kinds.js';
import { readObject, readSection } from '../language/read.js';

const columnRows = {
  destination: { kind: nonEmptyText, required: true, summary: 'the name of the column' },
  primaryKey: { kind: boolean, default: false, emptyIsAbsent: true, summary: 'whether it is part of the primary key' },
} satisfies OptionRows;

const parentRows = {
  destination: {
    kind: nonEmptyText,
    emptyIsAbsent: true,
    otherwise: 'the name of the enclosing table with `_pk`',
    summary: 'the column that refers to the enclosing row',
  },
  primaryKey: { kind: boolean, default: false, emptyIsAbsent: true, summary: 'whether it is part of the primary key' },
  disable: { kind: boolean, default: false, emptyIsAbsent: true, summary: 'whether there is no such column' },
} satisfies OptionRows;

/** The keys of a definition. */
export const mappingRows = {
  type: {
    kind: word('column', 'user', 'table'),
    default: 'column',
    emptyIsAbsent: true,
    summary: 'a column of a value, of a value that the job adds (`userData`, `parent_*`), or a table of a list',
  },
  mapping: { kind: objectOf(columnRows), summary: 'the column; for `column` and `user`' },
  forceType: {
    kind: boolean,
    default: false,
    emptyIsAbsent: true,
    summary: 'whether objects and lists are written as JSON text',
  },
  delimiter: { kind: nonEmptyText, default: '.', emptyIsAbsent: true, summary: 'separates the names of the path' },
  destination: { kind: nonEmptyText, summary: 'the name of the table; for `table`' },
  tableMapping: { kind: object, emptyIsAbsent: true, summary: 'the columns of the table; for `table`' },
  parentKey: { kind: objectOf(parentRows), emptyIsAbsent: true, summary: 'the reference to the enclosing row' },
} satisfies OptionRows;

/** Reads the mappings; undefined if one does not fit, after reporting it to its place. */
export function readMappings(place: ConfigPath, value: ExactObject): TableMappings | undefined {
  const tables = combineList(
    [...value].map(([dataType, mapping]) => readTable(place.at(dataType), { name: dataType }, mapping)),
  );
  return tables === undefined ? undefined : new Map(tables.map((table) => [table.name, table]));
}

/** What is known of a table before its columns are read. */
type TableHead = Pick<TableMapping, 'name' | 'parentKey'>;

function readTable(place: ConfigPath, head: TableHead, value: Exact): TableMapping | undefined {
  checkName(place, head.name);
  const members = readSection(place, value, { besides: value instanceof Map ? [...value.keys()] : [] });
  if (members === undefined) return undefined;
  if (members.size === 0) {
    place.problem('needs at least one column');
    return undefined;
  }
  const isKeyed = hasKey(members, head);
  const entries = combineList(
    [...members].map(([source, definition]) => readEntry(place.at(source), source, definition, { head, isKeyed })),
  );
  if (entries === undefined) return undefined;
  const table = { ...head, entries };
  return hasTwice(place, table) ? undefined : table;
}

/** A file of this name is written. */
function checkName(place: ConfigPath, name: string): void {
  if (/[/\\\0]/.test(name)) place.problem(`"${name}" cannot be the name of a file: it has "/", "\\" or a NUL`);
}

interface Enclosing {
  readonly head: TableHead;
  /** The enclosing table has a primary key. */
  readonly isKeyed: boolean;
}

function readEntry(place: ConfigPath, source: string, value: Exact, enclosing: Enclosing): MappedEntry | undefined {
  if (typeof value === 'string') return columnOf(splitPath(source), value);
  const definition = readObject(place, value, mappingRows);
  if (definition === undefined) return undefined;
  const { type, mapping, forceType, delimiter } = definition;
  if (type === 'table') return readList(place, splitPath(source, delimiter), definition, enclosing);
  if (mapping === undefined) {
    place.at('mapping', 'destination').problem('is missing: it is the name of the column');
    return undefined;
  }
  const { destination, primaryKey } = mapping;
  if (type === 'column') return columnOf(splitPath(source, delimiter), destination, primaryKey, forceType);
  return { type, source, column: destination, isKey: primaryKey };
}

const columnOf = (path: readonly string[], column: string, isKey = false, isText = false): MappedColumn => ({
  type: 'column',
  path,
  column,
  isKey,
  isText,
});

type Definition = NonNullable<ReturnType<typeof readDefinition>>;
const readDefinition = (place: ConfigPath, value: Exact) => readObject(place, value, mappingRows);

function readList(
  place: ConfigPath,
  path: readonly string[],
  { destination, tableMapping, parentKey }: Definition,
  { head, isKeyed }: Enclosing,
): MappedList | undefined {
  if (destination === undefined) {
    place.at('destination').problem('is missing: it is the name of the table');
    return undefined;
  }
  const isDisabled = parentKey?.disable === true;
  if (destination === head.name) {
    if (isDisabled) return { type: 'table', path, table: 'itself' };
    place.at('parentKey', 'disable').problem('must be true if the table is the enclosing one');
    return undefined;
  }
  if (tableMapping === undefined) {
    place.at('tableMapping').problem('is missing: it describes the columns of the table');
    return undefined;
  }
  const reference = { column: parentKey?.destination ?? `${head.name}_pk`, isKey: parentKey?.primaryKey === true };
  const name = { name: destination, ...defined({ parentKey: isDisabled ? undefined : reference }) };
  const table = readTable(place.at('tableMapping'), name, tableMapping);
  if (table === undefined) return undefined;
  return { type: 'table', path, table, ...defined({ link: isDisabled || isKeyed ? undefined : destination }) };
}

/** Whether a column is part of the primary key, before the definitions are read. */
function hasKey(members: ExactObject, { parentKey }: TableHead): boolean {
  if (parentKey?.isKey === true) return true;
  return [...members.values()].some((definition) => {
    const mapping = definition instanceof Map ? definition.get('mapping') : undefined;
    const isKey = mapping instanceof Map ? mapping.get('primaryKey') : undefined;
    return isKey === true || isKey === 'true' || isKey === '1' || String(isKey) === '1';
  });
}

/** Two columns of one name would make rows that do not fit their header. */
function hasTwice(place: ConfigPath, table: TableMapping): boolean {
  const seen = new Set<string>();
  const twice = headerOf(table).filter((column) => seen.size === seen.add(column).size);
  for (const column of twice) place.problem(`has two columns "${column}": give one another destination`);
  return twice.length > 0;
}

/** Any definition, as a schema sees it: the reader checks the rest. */
export const mappingsKind = kind<ExactObject>('an object', (value) => value instanceof Map, {
  fromExact: (value) => (Array.isArray(value) && value.length === 0 ? new Map() : value),
  schema: (write) => ({
    type: ['object', 'array'],
    maxItems: 0,
    additionalProperties: {
      type: 'object',
      minProperties: 1,
      additionalProperties: { anyOf: [{ type: 'string' }, write.members(mappingRows)] },
    },
  }),
});
