/** The tables of the lists in items of a data type: they are added when their lists are first seen. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Items } from '../../src/core/model/batch.js';
import { joinedName, type ListRules, listPath, positionName, rowId } from '../../src/core/tables/list-rules.js';
import { type BytePool, createBytes, type GrowingBytes } from '../growing-bytes.js';
import { MemberTree, type TreeMember } from '../tables/member-tree.js';

/** Where a list is: the paths of lists from the outside in, each in the elements of the one before it. */
export type ListPlace = readonly (readonly string[])[];

/** The table of a list. */
export interface ListTable {
  readonly dataType: string;
  readonly place: ListPlace;
  /** The columns with the places of the elements that a row is in, from the outside in. */
  readonly positions: readonly string[];
  /** The last of them. */
  readonly position: string;
}

/** New rows of a table. */
export interface ListItems {
  readonly table: ListTable;
  readonly rows: Items;
  /** For each row the index of its item in the batch. */
  readonly itemOf: readonly number[];
}

/** What is known of a member. */
interface Known {
  /** The place of its value among those of the key; -1: it is not of the key. */
  keyIndex: number;
  /** What becomes of a list in it; undefined: it had none. */
  list: OpenTable | 'json' | undefined;
  /** No added column has its name. */
  isFree: boolean;
}

export type RowMember = TreeMember<Known>;

/** What has rows: the items, or the elements of a list. */
export interface RowSource {
  readonly dataType: string;
  readonly place: ListPlace;
  /** As a configuration writes it; empty: the items. */
  readonly path: string;
  readonly members: MemberTree<Known>;
  /** The columns that are added to its members. */
  readonly added: ReadonlySet<string>;
}

/** A table while a batch is split. */
export interface OpenTable extends RowSource, ListTable {
  /** What precedes the place of an element: `"lines__position":`. */
  readonly label: Buffer;
  /** An item has had an element. */
  hasRows: boolean;
  rows: GrowingBytes;
  readonly ends: number[];
  readonly itemOf: number[];
}

interface RowTablesOptions {
  readonly dataType: string;
  readonly rules: ListRules;
  /** The columns of lists that refer to the item. */
  readonly reference: readonly string[];
  /** Items get an id. */
  readonly hasId: boolean;
  /** Called for each new table. Throws ERR_SINK if another one has its name. */
  readonly onTable: (table: ListTable) => void;
  /** The name of a table for the names on the way to its list, joined; absent: these. */
  readonly nameOf?: ((joined: string) => string) | undefined;
  /** Has the memory of the rows; absent: those of each batch have their own. */
  readonly pool?: BytePool | undefined;
}

export interface RowTables {
  readonly items: RowSource;
  /** By data type, in the order of first sight. */
  readonly tables: ReadonlyMap<string, OpenTable>;
  /** The paths of all lists that were seen. */
  readonly paths: ReadonlySet<string>;
  /** What becomes of a list in a member. Throws ERR_SINK if its table has the name of another one. */
  listOf(source: RowSource, member: RowMember): OpenTable | 'json';
  /** Adds the table of a list that an earlier process has seen. */
  restore(place: ListPlace): void;
  /** Throws ERR_SINK if an added column has the name of the member. */
  mustBeFree(source: RowSource, member: RowMember): void;
  /** The rows that were written since the last call. */
  take(): readonly ListItems[];
}

/** With more tables, names in items are data, and a table for each of them helps no reader. */
const mostTables = 500;

/** Starts without lists. */
export function createRowTables(options: RowTablesOptions): RowTables {
  const { dataType, rules, hasId, onTable, pool } = options;
  const tables = new Map<string, OpenTable>();
  const paths = new Set<string>();
  const items: RowSource = { ...sourceOf(dataType, [], hasId ? [rowId] : []), path: '' };

  const add = (source: RowSource, member: RowMember): OpenTable => {
    const table = openTable(options, source, member.path);
    if (tables.has(table.dataType)) throw sameTable(table.path, tables.get(table.dataType)?.path, table.dataType);
    if (tables.size === mostTables) throw tooMany(dataType);
    onTable(table);
    tables.set(table.dataType, table);
    member.list = table;
    return table;
  };
  const listOf = (source: RowSource, member: RowMember) => {
    if (member.list !== undefined) return member.list;
    const path = listPath(source.path, member.path);
    paths.add(path);
    const isTable = (rules.forms.get(path) ?? (source.place.length < rules.depth ? 'table' : 'json')) === 'table';
    if (isTable) return add(source, member);
    member.list = 'json';
    return member.list;
  };
  return {
    items,
    tables,
    paths,
    listOf,
    restore(place) {
      let source = items;
      for (const path of place) {
        const { members } = source;
        const member = path.reduce((parent, name) => members.named(parent, name), members.root);
        const table = typeof member.list === 'object' ? member.list : add(source, member);
        paths.add(table.path);
        table.hasRows = true;
        source = table;
      }
    },
    mustBeFree({ added, dataType: table }, member) {
      const [name = ''] = member.path;
      if (member.path.length === 1 && added.has(name)) throw takenName(name, table);
      member.isFree = true;
    },
    take: () => [...tables.values()].filter(({ itemOf }) => itemOf.length > 0).map((each) => taken(each, pool)),
  };
}

const sourceOf = (dataType: string, place: ListPlace, added: readonly string[]): Omit<RowSource, 'path'> => ({
  dataType,
  place,
  members: new MemberTree<Known>(() => ({ keyIndex: -1, list: undefined, isFree: false })),
  added: new Set(added),
});

function openTable(
  { dataType, nameOf = (joined) => joined, reference }: RowTablesOptions,
  source: RowSource,
  path: readonly string[],
): OpenTable {
  const place = [...source.place, path];
  const positions = place.map((_, index) => positionName(place.slice(0, index + 1).flat()));
  const position = positions.at(-1) ?? '';
  return {
    ...sourceOf(nameOf(joinedName([dataType, ...place.flat()])), place, [...reference, ...positions]),
    path: listPath(source.path, path),
    positions,
    position,
    label: Buffer.from(`${JSON.stringify(position)}:`),
    hasRows: false,
    rows: createBytes(leastBytes),
    ends: [0],
    itemOf: [],
  };
}

const leastBytes = 4096;

/** The rows are handed over, so the next ones get memory of their own. */
function taken(table: OpenTable, pool: BytePool | undefined): ListItems {
  const { rows, ends, itemOf } = table;
  const items = { bytes: rows.take(), offsets: Uint32Array.from(ends), count: itemOf.length };
  const given = { table, rows: items, itemOf: [...itemOf] };
  table.rows = createBytes(Math.ceil(Math.max(leastBytes, rows.length + rows.length / 8)), pool);
  ends.length = 1;
  itemOf.length = 0;
  return given;
}

const sameTable = (one: string, other: string | undefined, name: string): ExtractError =>
  fault(`the lists "${other ?? name}" and "${one}" would be one table, "${name}"`);

const takenName = (name: string, table: string): ExtractError =>
  fault(`the member "${name}" has the name of a column that lists=tables adds to "${table}"`);

const tooMany = (dataType: string): ExtractError =>
  fault(
    `"${dataType}" would have more than ${mostTables} tables of lists`,
    'Name the lists that are tables in `lists` of the job, without lists=tables in the address.',
  );

const fault = (message: string, remedy = 'Rename or leave out one of them with --select, or use lists=json.') =>
  new ExtractError('ERR_SINK', message, { remedy });
