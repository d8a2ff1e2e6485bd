/** Writes items as rows of the tables that a mapping describes. docs/15-tables.md#mappings. */
import { ExtractError } from '../errors/errors.js';
import { type Exact, type ExactObject, exactAt, isArray, isObject, isPhpEmpty } from '../json/exact.js';
import type { TableOutput, WriteRow } from './automatic-rows.js';
import { cellText, isNested, serialized, serializedList } from './cell-text.js';
import { headerOf, keyOf, type MappedColumn, type MappedEntry, type TableMapping } from './mapping.js';
import { md5 } from './safe-names.js';

type ListEntry = Extract<MappedEntry, { type: 'table' }>;

/** The key of the enclosing row; absent: there is none, or the table has no reference. */
type ParentKey = string | undefined;

/** Writes items by a mapping. The returned function throws ERR_TABLE. */
export function mappedRows(mapping: TableMapping, output: TableOutput): (item: Exact, columns: ExactObject) => void {
  const opened = new Map<TableMapping, WriteRow>();
  const open = (table: TableMapping): WriteRow => {
    const write = opened.get(table) ?? output.table(table.name, headerOf(table), false);
    opened.set(table, write);
    return write;
  };

  const writeRow = (table: TableMapping, row: Exact, columns: ExactObject, parent: ParentKey): void => {
    const write = open(table);
    const cells: string[] = [];
    let key: string | undefined;
    const keyOfRow = () => {
      key ??= rowKey(table, row, columns, parent);
      return key;
    };
    for (const entry of table.entries) {
      if (entry.type === 'column') cells.push(columnCell(table, entry, row));
      else if (entry.type === 'user') cells.push(cellText(columns.get(entry.source)));
      else {
        const cell = writeList(table, entry, row, { columns, parent, keyOfRow });
        if (cell !== undefined) cells.push(cell);
      }
    }
    write(table.parentKey === undefined ? cells : [...cells, parent ?? '']);
  };

  /** Writes the elements; returns the cell that refers to them, if the row has one. */
  const writeList = (table: TableMapping, entry: ListEntry, row: Exact, own: RowContext): string | undefined => {
    const isKeyed = keyOf(table).length > 0;
    const list = at(row, entry.path);
    if (!isKeyed && isEmpty(list)) return entry.link === undefined ? undefined : '';
    const child = entry.table === 'itself' ? table : entry.table;
    const parent = entry.table === 'itself' ? own.parent : own.keyOfRow();
    const elements = isArray(list) ? list : [list ?? null];
    if (elements.length > 0) open(child);
    for (const each of elements) writeRow(child, each, own.columns, parent);
    return entry.link === undefined ? undefined : own.keyOfRow();
  };

  open(mapping);
  return (item, columns) => writeRow(mapping, item, columns, undefined);
}

interface RowContext {
  readonly columns: ExactObject;
  readonly parent: ParentKey;
  keyOfRow(): string;
}

/** Empty in PHP, but for an object without members. */
const isEmpty = (value: Exact | undefined): boolean => isPhpEmpty(value) && !isObject(value);

/** A path of one empty name is the row itself, if it is a single value. */
function at(row: Exact, path: readonly string[]): Exact | undefined {
  const isItself = path.length === 1 && path[0] === '' && !isObject(row) && !isArray(row);
  return isItself ? row : exactAt(row, path);
}

function columnCell({ name }: TableMapping, { path, column, isText }: MappedColumn, row: Exact): string {
  const value = at(row, path);
  if (isText || !isNested(value)) return cellText(value);
  throw notSingle(`"${path.join('.')}"`, `column "${column}" of table "${name}"`, value);
}

const notSingle = (what: string, where: string, value: Exact | undefined) =>
  new ExtractError(
    'ERR_TABLE',
    `${what} is ${isArray(value) ? 'a list' : 'an object'}, and ${where} needs a single value: map its members, or set \`forceType\` to write it as JSON text`,
  );

/**
 * The values of the primary key with commas between them. A row without a primary key is identified by the MD5 of its
 * item, and of the columns that the job adds.
 */
function rowKey(table: TableMapping, row: Exact, columns: ExactObject, parent: ParentKey): string {
  const { entries, parentKey } = table;
  if (keyOf(table).length === 0) return md5(serialized(row) + (columns.size === 0 ? '' : serializedList(columns)));
  const own = entries.flatMap((entry) => {
    if (entry.type === 'table' || !entry.isKey) return [];
    const value = entry.type === 'user' ? columns.get(entry.source) : at(row, entry.path);
    if (isNested(value)) throw notSingle('the value', `the primary key "${entry.column}" of "${table.name}"`, value);
    return [cellText(value)];
  });
  return [...own, ...(parentKey?.isKey === true ? [parent ?? ''] : [])].join(',');
}
