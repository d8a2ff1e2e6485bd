/** Writes items as rows of related tables: the rows of their lists get the id of the object that owns the list. */
import { type Exact, type ExactObject, exactAt, isArray, isObject } from '../json/exact.js';
import { cellText, serialized } from './cell-text.js';
import { freeName, md5, safeName } from './safe-names.js';
import type { ListPlan, PlannedTable } from './table-plan.js';

/** Writes one row; its cells are those of the columns with which its table was defined. */
export type WriteRow = (cells: readonly string[]) => void;

/** Gets the tables and their rows. */
export interface TableOutput {
  /** Defines a table. `isOpen`: others may have its name, and then it has the columns of all. Throws ERR_TABLE. */
  table(name: string, columns: readonly string[], isOpen: boolean): WriteRow;
}

export const parentIdName = 'JSON_parentId';

/** A table with its added columns, which come after those of its items. */
interface OpenTable {
  readonly plan: PlannedTable;
  readonly added: readonly AddedColumn[];
  readonly write: WriteRow;
}

/** A column that jobs add, or the id of the parent. */
interface AddedColumn {
  /** As jobs name it. */
  readonly source: string;
  /** As the row names it: another one, if items have the name. */
  readonly member: string;
  readonly column: string;
  /** Its value is in the column of the member that it has replaced. */
  readonly isEmpty: boolean;
}

/** Names of added columns that were changed because items have them: tables that follow change them too. */
export type AddedNames = Map<string, string>;

/**
 * Defines the tables of a data type, and returns a function that writes an item. `added` has the names of all columns
 * that its jobs add. `overwrites`: such a column replaces the member of its name, as with `compatLevel` 1.
 */
export function automaticRows(
  plan: PlannedTable,
  { added, names, overwrites }: Adding,
  output: TableOutput,
): (item: Exact, columns: ExactObject) => void {
  const tables = new Map<PlannedTable, OpenTable>();
  const define = (each: PlannedTable, sources: readonly string[]): OpenTable => {
    const columns = addedColumns(each, sources, { names, overwrites });
    const header = [...each.columns.map(({ name }) => name), ...columns.map(({ column }) => column)];
    const table = { plan: each, added: columns, write: output.table(each.name, header, true) };
    tables.set(each, table);
    for (const { list } of each.columns) if (list?.table !== undefined) define(list.table, [parentIdName]);
    return table;
  };

  const writeRow = (table: OpenTable, value: Exact, extra: ExactObject): void => {
    const { plan: own } = table;
    const row = withAdded(value, table, extra);
    const rowId = idOf(own.idPath, row, '');
    const cells = own.columns.map(({ path, list }) => {
      const member = own.isScalar ? value : isObject(row) ? exactAt(row, path) : undefined;
      return list === undefined ? cellText(member) : writeList(list, member, { path, own, row, rowId });
    });
    table.write([...cells, ...table.added.map((each) => (each.isEmpty ? '' : cellText(extra.get(each.source))))]);
  };

  /** Writes the elements; returns the cell of the owner. */
  const writeList = ({ table }: ListPlan, list: Exact | undefined, owner: ListOwner): string => {
    const elements = elementsOf(list);
    const child = table === undefined ? undefined : tables.get(table);
    if (elements.length === 0 || child === undefined) return '';
    const id = ownerId(owner);
    for (const each of elements) writeRow(child, each, new Map([[parentIdName, id]]));
    return id;
  };

  const items = define(plan, added);
  return (item, columns) => writeRow(items, item, columns);
}

/** The columns that are added to the items of a data type. */
export interface Adding {
  readonly added: readonly string[];
  readonly names: AddedNames;
  readonly overwrites: boolean;
}

interface ListOwner {
  readonly path: readonly string[];
  readonly own: PlannedTable;
  readonly row: Exact;
  readonly rowId: () => string;
}

/** What is not a list is one element; `null` and a missing member have none. */
function elementsOf(list: Exact | undefined): readonly Exact[] {
  if (list === undefined || list === null) return [];
  return isArray(list) ? list : [list];
}

/** The id of the object that owns the list: the row itself, or one below it, which is hashed with the id of the row. */
function ownerId({ path, own, row, rowId }: ListOwner): string {
  const above = path.slice(0, -1);
  if (above.length === 0) return rowId();
  const owner = exactAt(row, above) ?? null;
  return idOf([own.idPath, ...above].join('.'), owner, rowId())();
}

/** Computed when it is needed: most rows have no list. */
function idOf(path: string, value: Exact, outer: string): () => string {
  let id: string | undefined;
  return () => {
    id ??= `${path}_${md5(serialized(value) + outer)}`;
    return id;
  };
}

/** The row that is hashed: the item with the added columns after its own members. */
function withAdded(value: Exact, { added }: OpenTable, extra: ExactObject): Exact {
  const own = isObject(value) ? value : new Map<string, Exact>([['data', value]]);
  const present = added.filter(({ source }) => extra.has(source));
  if (present.length === 0) return own;
  return new Map([...own, ...present.map(({ source, member }) => [member, extra.get(source) ?? null] as const)]);
}

/** Names the added columns of a table: apart from its members, and each column once. */
function addedColumns(
  plan: PlannedTable,
  sources: readonly string[],
  { names, overwrites }: Pick<Adding, 'names' | 'overwrites'>,
): readonly AddedColumn[] {
  const columns = new Set(plan.columns.map(({ name }) => name));
  return sources.map((source) => {
    const isEmpty = overwrites && plan.ownNames.has(source);
    const member = isEmpty ? source : freeNameAfter(source, names, plan.ownNames);
    const column = freeName(isEmpty ? md5(source) : safeName(member), columns);
    columns.add(column);
    return { source, member, column, isEmpty };
  });
}

function freeNameAfter(source: string, names: AddedNames, taken: ReadonlySet<string>): string {
  const before = names.get(source);
  if (before !== undefined && !taken.has(before)) return before;
  const member = freeName(source, taken);
  if (member !== source) names.set(source, member);
  return member;
}
