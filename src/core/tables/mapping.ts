/** What `config.mappings` says: which members of items become columns of which tables. docs/15-tables.md#mappings. */
/** A table, with the columns of its rows in order. */
export interface TableMapping {
  readonly name: string;
  readonly entries: readonly MappedEntry[];
  /** The column with the key of the enclosing row; absent: the table has none. */
  readonly parentKey?: { readonly column: string; readonly isKey: boolean };
}

export type MappedEntry = MappedColumn | AddedEntry | MappedList;

/** A column of the value at a path. */
export interface MappedColumn {
  readonly type: 'column';
  readonly path: readonly string[];
  readonly column: string;
  readonly isKey: boolean;
  /** Objects and lists are written as JSON text; else they are an error. */
  readonly isText: boolean;
}

/** A column that the job adds, by its name. */
interface AddedEntry {
  readonly type: 'user';
  readonly source: string;
  readonly column: string;
  readonly isKey: boolean;
}

/** A table of the elements at a path. */
export interface MappedList {
  readonly type: 'table';
  readonly path: readonly string[];
  /** `itself`: elements are rows of the enclosing table, by its own mapping. */
  readonly table: TableMapping | 'itself';
  /** Rows without a key refer to their elements by a column of this name. */
  readonly link?: string;
}

/** The mappings of a configuration, by data type. */
export type TableMappings = ReadonlyMap<string, TableMapping>;

/** The columns of a table, in order; the reference to the enclosing row is the last one. */
export function headerOf({ entries, parentKey }: TableMapping, withLinks = true): readonly string[] {
  const own = entries.flatMap((entry) => {
    if (entry.type !== 'table') return [entry.column];
    return withLinks && entry.link !== undefined ? [entry.link] : [];
  });
  return parentKey === undefined ? own : [...own, parentKey.column];
}

/** The columns of the primary key, the reference to the enclosing row being the last one. */
export function keyOf({ entries, parentKey }: TableMapping): readonly string[] {
  const own = entries.flatMap((entry) => (entry.type !== 'table' && entry.isKey ? [entry.column] : []));
  return parentKey?.isKey === true ? [...own, parentKey.column] : own;
}

/** The table and those of its lists, outermost first; each name once. */
export function tablesOf(table: TableMapping): readonly TableMapping[] {
  const inner = table.entries.flatMap((entry) =>
    entry.type === 'table' && entry.table !== 'itself' ? tablesOf(entry.table) : [],
  );
  return [table, ...inner];
}
