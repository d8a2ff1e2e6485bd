/**
 * What tables of lists must contain after a chaos run, by the items alone, and how they are read. A row is a text: its
 * table, and its cells by name. A row of `tables:` names the row that owns it in place of a hash.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { quoted } from '../../sinks/duckdb/sql.js';

/** The lines of each data type. */
export type Lines = ReadonlyMap<string, readonly string[]>;

/** How the tables of a sink follow from items. */
export interface ListTables {
  /** What becomes of the rows that an earlier run has written; `none`: there was none. */
  readonly earlier: 'none' | 'merged' | 'gone';
  rows(dataType: string, items: readonly Item[]): readonly string[];
}

type Item = Readonly<Record<string, unknown>>;

/** The rows that each data type must have, in any order. */
export function expectedRows({ earlier, rows }: ListTables, before: Lines, lines: Lines): Lines {
  const dataTypes = new Set([...lines.keys(), ...(earlier === 'none' ? [] : before.keys())]);
  const itemsOf = (dataType: string) => {
    const own = (lines.get(dataType) ?? []).map(itemOf);
    if (earlier !== 'merged') return own;
    const all = [...(before.get(dataType) ?? []).map(itemOf), ...own];
    return [...new Map(all.map((item) => [item.id, item])).values()];
  };
  return new Map([...dataTypes].map((each) => [each, [...rows(each, itemsOf(each))].sort()] as const));
}

/** Numbers of more digits than a double has stay texts. */
const itemOf = (line: string): Item => JSON.parse(line.replace(/"big":(\d+)/g, '"big":"$1"'));

/** The rows of `lists=tables` and `key=id`: references are the key and the places of the elements. */
export function keyedRows(dataType: string, items: readonly Item[]): readonly string[] {
  return items.flatMap(({ id, ...item }) => [
    rowOf(dataType, { id, ...withoutLists(item) }),
    ...elementRows(dataType, '', { [`${dataType}__id`]: id }, item),
  ]);
}

function elementRows(table: string, before: string, reference: Item, item: Item): readonly string[] {
  return Object.entries(item).flatMap(([name, list]) => {
    if (!Array.isArray(list)) return [];
    const way = `${before}${name}__`;
    return list.flatMap((element, position) => {
      const place = { ...reference, [`${way}position`]: position };
      const own: Item = typeof element === 'object' ? element : { value: element };
      return [
        rowOf(`${table}__${name}`, { ...place, ...withoutLists(own) }),
        ...elementRows(`${table}__${name}`, way, place, own),
      ];
    });
  });
}

const withoutLists = (item: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => !Array.isArray(value)));

/** The rows of `tables:`. */
export function ownedRows(table: string, items: readonly Item[], owner = ''): readonly string[] {
  return items.flatMap((item) => {
    const row = rowOf(table, { ...withoutLists(item), owner }, phpCell);
    const lists = Object.entries(item).flatMap(([name, list]) => {
      const elements = Array.isArray(list) ? list : [];
      const rows = elements.map((each): Item => (typeof each === 'object' ? each : { data: each }));
      return ownedRows(`${table}_${name}`, rows, row);
    });
    return [row, ...lists];
  });
}

/** A cell that is empty is none. */
function rowOf(table: string, cells: Item, write: (text: string) => string | undefined = cell): string {
  const found = Object.entries(cells).flatMap(([name, value]) => {
    const text = value === null || value === undefined ? undefined : write(String(value));
    return text === undefined ? [] : [[name, text] as const];
  });
  return `${table} ${JSON.stringify(found.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

/** A fraction is the double nearest to it: sinks write it with more digits or fewer. */
const cell = (text: string): string => (isFraction(text) ? String(Number(text)) : text);

const isFraction = (text: string): boolean => /^-?\d*(\.\d+(e[-+]?\d+)?|e[-+]?\d+)$/i.test(text);

/** `tables:` has 14 digits of a fraction and of a number beyond 64 bits, `1` for true, and nothing for false. */
function phpCell(text: string): string | undefined {
  if (text === '' || text === 'false') return undefined;
  if (text === 'true') return '1';
  return isFraction(text) || /^\d{20,}$/.test(text) ? String(Number(Number(text).toPrecision(14))) : text;
}

interface ReadableDatabase {
  rows(sql: string): Promise<readonly Item[]>;
  readonly schema: string;
  /** What selects all columns as texts. */
  readonly texts: string;
}

/** The rows of a data type in a database, those of its lists included. */
export async function readKeyedRows(
  { rows, schema, texts }: ReadableDatabase,
  dataType: string,
): Promise<readonly string[]> {
  const tables = await rows(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${schema}'`,
  );
  const own = tables.map(({ name }) => String(name)).filter((name) => isOf(name, dataType));
  const found: string[] = [];
  for (const name of own) {
    const cells = await rows(`SELECT ${texts} FROM ${quoted(name, 'table')}`);
    found.push(...cells.map((each) => rowOf(name, each)));
  }
  return found.sort();
}

export const isOf = (table: string, dataType: string): boolean =>
  table === dataType || table.startsWith(`${dataType}__`);

/** The rows of a data type in a folder of `tables:`, each with the row that owns it. */
export function readOwnedRows(folder: string, dataType: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => !name.includes('.'));
  const owners = new Map<string, string>();
  const found: string[] = [];
  // The table of a list follows that of its owner.
  for (const name of names.filter((each) => each === dataType || each.startsWith(`${dataType}_`)).sort()) {
    const rows: readonly Item[] = parse(readFileSync(join(folder, name)), { columns: true });
    for (const { JSON_parentId: parent, ...cells } of rows) {
      const own = Object.entries(cells);
      const ids = own.filter(([, text]) => isId.test(String(text))).map(([, text]) => String(text));
      const owner = parent === undefined ? '' : (owners.get(String(parent)) ?? `an orphan of ${parent}`);
      const row = rowOf(
        name,
        { ...Object.fromEntries(own.filter(([, text]) => !isId.test(String(text)))), owner },
        phpCell,
      );
      for (const id of ids) owners.set(id, row);
      found.push(row);
    }
  }
  return found.sort();
}

const isId = /^[a-z._]+_[\da-f]{32}$/;
