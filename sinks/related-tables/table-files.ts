/** The files of tables: written under temporary names, and published together. */
import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Exact, ExactObject } from '../../src/core/json/exact.js';
import { jsonText } from '../../src/core/json/json-text.js';
import type { WriteRow } from '../../src/core/tables/automatic-rows.js';
import { quotedCell } from '../../src/core/tables/cell-text.js';
import { renameFile } from '../../src/core/util/rename-file.js';
import { refused } from '../errors.js';
import { createFolder, type Folder } from '../files/folder.js';
import { createOutputFile, type OpenFile, type OutputFile } from '../files/output-file.js';
import { partialOf } from '../files/parts.js';
import { settleAll } from '../settle.js';

/** A table that was written. */
export interface WrittenTable {
  readonly path: string;
  /** The data type of its items, as the run names it. */
  readonly dataType: string;
  readonly rows: number;
  readonly bytes: number;
  readonly columns: number;
}

/** What its manifest says. */
export interface TableFacts {
  readonly dataType: string;
  readonly bucket: string | undefined;
  readonly isIncremental: boolean;
  readonly key: readonly string[];
}

export interface TableFiles {
  /** Defines a table. Throws ERR_TABLE if another one has its name and other columns. */
  define(name: string, columns: readonly string[], facts: TableFacts & { readonly isOpen: boolean }): WriteRow;
  /** Whether a table of the name is defined. */
  has(name: string, bucket: string | undefined): boolean;
  /** Writes the rows that wait, if they are many. Throws ERR_SINK. */
  flush(): Promise<void>;
  /** Gives all files their final names, once each is safe on the disk. Throws ERR_SINK. */
  publish(): Promise<readonly WrittenTable[]>;
  /** Removes the files. */
  remove(): Promise<void>;
}

interface Table {
  readonly path: string;
  readonly facts: TableFacts;
  readonly isOpen: boolean;
  readonly columns: string[];
  /** Text that waits to be written. */
  waiting: string[];
  size: number;
  rows: number;
  bytes: number;
  file: OutputFile | undefined;
}

/** Where the files are. */
interface Place {
  readonly folder: Folder;
  readonly openFile: OpenFile;
}

/** Rows of a table wait until they have this many characters. */
const enough = 128 * 1024;

export function createTableFiles(dir: string, openFile: OpenFile = open): TableFiles {
  const tables = new Map<string, Table>();
  const place: Place = { folder: createFolder(dir), openFile };
  const pathOf = (name: string, bucket: string | undefined) => join(dir, fileName(name, bucket));

  return {
    define(name, columns, { isOpen, ...facts }) {
      const path = pathOf(name, facts.bucket);
      const table = tables.get(path) ?? { ...emptyTable, path, facts, isOpen, columns: [...columns], waiting: [] };
      tables.set(path, table);
      const isShared = table.isOpen && isOpen;
      if (isShared) table.columns.push(...columns.filter((each) => !table.columns.includes(each)));
      else if (!isSame(table.columns, columns)) throw otherColumns(name, table.columns, columns);
      return rowWriter(table, columns);
    },
    has: (name, bucket) => tables.has(pathOf(name, bucket)),
    async flush() {
      for (const table of tables.values()) if (table.size >= enough) await writeWaiting(table, place);
    },
    publish: () => publishAll([...tables.values()].filter(hasColumns), place),
    async remove() {
      for (const { path, file } of tables.values()) {
        await file?.close().catch(() => {});
        for (const each of [path, manifestOf(path)]) await unlink(partialOf(each)).catch(() => {});
      }
    },
  };
}

/** A table without columns would be a file of empty lines. */
const hasColumns = ({ columns }: Table): boolean => columns.length > 0;

async function publishAll(all: readonly Table[], place: Place): Promise<readonly WrittenTable[]> {
  const { folder, openFile } = place;
  await folder.make();
  for (const table of all) {
    if (table.rows === 0) start(table);
    await writeWaiting(table, place);
    await table.file?.sync();
    await writeManifest(table, openFile);
  }
  for (const { path } of all) await publishFile(path);
  folder.touch();
  await folder.sync();
  await settleAll(all.map(({ file }) => file?.close()));
  return all.map(({ path, facts: { dataType }, rows, bytes, columns }) => ({
    path,
    dataType,
    rows,
    bytes,
    columns: columns.length,
  }));
}

async function writeWaiting(table: Table, { folder, openFile }: Place): Promise<void> {
  if (table.waiting.length === 0) return;
  const bytes = Buffer.from(table.waiting.join(''));
  table.waiting = [];
  table.size = 0;
  table.bytes += bytes.length;
  if (table.file === undefined) {
    await folder.make(); // The first rows may be written long before the tables are published.
    table.file = await createOutputFile(partialOf(table.path), { openFile });
  }
  await table.file.append(bytes, new AbortController().signal);
}

const emptyTable = { size: 0, rows: 0, bytes: 0, file: undefined };

const manifestOf = (path: string): string => `${path}.manifest`;

/** The name of the file of a table: what would lead to another folder becomes `_`. */
export function fileName(name: string, bucket: string | undefined): string {
  const file = (bucket === undefined ? name : `${bucket}.${name}`).replace(/[/\\\0]/g, '_');
  return /^\.{0,2}$/.test(file) ? '_' : file;
}

/** Writes the cells in the order of the columns of the file, which are known before the first row. */
function rowWriter(table: Table, columns: readonly string[]): WriteRow {
  let places: readonly number[] | undefined;
  return (cells) => {
    if (!hasColumns(table)) return;
    if (table.rows === 0) start(table);
    places ??= isSame(table.columns, columns) ? [] : table.columns.map((column) => columns.indexOf(column));
    const line = rowText(places.length === 0 ? cells : places.map((place) => cells[place] ?? ''));
    table.waiting.push(line);
    table.size += line.length;
    table.rows += 1;
  };
}

const rowText = (cells: readonly string[]): string => `${cells.map(quotedCell).join(',')}\n`;

function start(table: Table): void {
  const header = rowText(table.columns);
  table.waiting.push(header);
  table.size += header.length;
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each, index) => each === other[index]);

const otherColumns = (name: string, before: readonly string[], now: readonly string[]) =>
  new ExtractError(
    'ERR_TABLE',
    `table "${name}" would have two layouts, (${before.join(', ')}) and (${now.join(', ')}): give one of them another name`,
  );

/** Generic Extractor writes the members in this order. */
async function writeManifest({ path, facts }: Table, openFile: OpenFile): Promise<void> {
  const { bucket, isIncremental, key } = facts;
  const name = path.slice(path.length - nameLength(path));
  const members: [string, Exact][] = [
    ...(bucket === undefined ? [] : [['destination', `in.c-${name}`] satisfies [string, Exact]]),
    ['incremental', isIncremental],
    ...(key.length === 0 ? [] : [['primary_key', [...key]] satisfies [string, Exact]]),
  ];
  const manifest: ExactObject = new Map(members);
  const file = await createOutputFile(partialOf(manifestOf(path)), { openFile });
  try {
    await file.append(Buffer.from(jsonText(manifest)), new AbortController().signal);
    await file.sync();
  } finally {
    await file.close();
  }
}

const nameLength = (path: string): number => path.length - Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) - 1;

async function publishFile(path: string): Promise<void> {
  for (const each of [path, manifestOf(path)]) {
    await renameFile(partialOf(each), each).catch((thrown: unknown) => {
      throw refused(`rename "${partialOf(each)}" to "${each}"`, thrown);
    });
  }
}
