/** The tables of a data type without a mapping, made of its structure: their names, columns and tables of lists. */
import { freeName, safeName } from './safe-names.js';
import type { StructureNode } from './structure.js';

/** A table: the cells of a row in order, and the columns that are added. */
export interface PlannedTable {
  readonly name: string;
  readonly columns: readonly PlannedColumn[];
  /** The path of the rows, with the data type, for their ids. */
  readonly idPath: string;
  /** Rows are single values with one column. */
  readonly isScalar: boolean;
  /** Names of the members of a row: an added column gets another one. */
  readonly ownNames: ReadonlySet<string>;
}

/** A column of members at a path below the row. */
export interface PlannedColumn {
  readonly name: string;
  readonly path: readonly string[];
  /** The table of the list; absent: the member is a single value. */
  readonly list?: ListPlan;
}

/** A list: its column has the id of the object that owns it. */
export interface ListPlan {
  /** Absent: no list had elements. */
  readonly table?: PlannedTable;
}

/** Plans the table of the items, with those of their lists. */
export const planTables = (dataType: string, root: StructureNode): PlannedTable => planTable(dataType, [], root);

/** The table and the column that have a list. */
interface ListColumn {
  readonly table: string;
  readonly column: string;
}

function planTable(
  dataType: string,
  path: readonly string[],
  row: StructureNode,
  { table, column: listColumn }: Partial<ListColumn> = {},
): PlannedTable {
  const idPath = [dataType, ...path].join('.');
  const plain = safeName(idPath);
  // A name of which nothing is left: the elements would be rows of the table that has the list.
  const name = plain === table ? safeName(`${table}.${listColumn}`) : plain;
  const ownNames = new Set(row.members.keys());
  if (row.kind !== 'object') {
    return { name, columns: [{ name: 'data', path: [] }], idPath, isScalar: true, ownNames: new Set(['data']) };
  }
  const names = columnNames(row);
  const columns = leavesOf(row).map(({ node, path: below }): PlannedColumn => {
    const column = { name: names.get(node) ?? '', path: below };
    if (node.kind !== 'list') return column;
    if (node.element === undefined) return { ...column, list: {} };
    return {
      ...column,
      list: { table: planTable(dataType, [...path, ...below], node.element, { table: name, column: column.name }) },
    };
  });
  return { name, columns, idPath, isScalar: false, ownNames };
}

interface Leaf {
  readonly node: StructureNode;
  readonly path: readonly string[];
}

/** All members below a row, depth first; those of objects are columns of the row. */
function membersOf(row: StructureNode, path: readonly string[] = []): readonly Leaf[] {
  return [...row.members].flatMap(([name, node]) => {
    const below = [...path, name];
    return [{ node, path: below }, ...(node.kind === 'object' ? membersOf(node, below) : [])];
  });
}

const leavesOf = (row: StructureNode): readonly Leaf[] => membersOf(row).filter(({ node }) => node.kind !== 'object');

/**
 * The names of all columns, given in the order of first sight; objects take names too. Columns of earlier runs keep
 * theirs.
 */
export function columnNames(row: StructureNode): ReadonlyMap<StructureNode, string> {
  const members = [...membersOf(row)].sort((one, other) => one.node.seen - other.node.seen);
  const used = new Set(members.flatMap(({ node: { column } }) => column ?? []));
  const names = new Map<StructureNode, string>();
  for (const { node, path } of members) {
    // The mark of elements is part of the name of Generic Extractor: three characters of the 64 that count.
    const name = node.column ?? freeName(safeName(`[].${path.join('.')}`), used);
    used.add(name);
    names.set(node, name);
  }
  return names;
}
