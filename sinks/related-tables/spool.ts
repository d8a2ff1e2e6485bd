/**
 * The items of a run before they are tables: files of lines, beside the folder of the tables. A line has the names of
 * the columns that the job adds, a tab, and the item with these columns as its last members.
 */
import { open, readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { systemError } from '../../src/core/errors/system-error.js';
import { type Exact, type ExactObject, isArray, isObject, stringifyExact } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import { type Batch, type Items, itemAt, joinItems } from '../../src/core/model/batch.js';
import { refused } from '../errors.js';
import { createFileSink, type FileSink } from '../files/file-sink.js';
import { eachLines } from '../files/line-reader.js';
import type { OpenFile } from '../files/output-file.js';
import { partialOf } from '../files/parts.js';

const extension = '.spool';
const lineFeed = 0x0a;
const tabulator = 0x09;

export interface Spool {
  /** Its file sink: pages, checkpoints and resume. */
  readonly files: FileSink;
  /** Returns the items of a data type in their order, from what has reached the disk. Throws ERR_SINK. */
  read(dataType: string): AsyncIterable<ReadItem>;
  /** Removes its files, those of earlier runs too. Throws ERR_SINK. */
  remove(): Promise<void>;
  /** Whether an earlier process has left files. */
  isThere(): Promise<boolean>;
}

/** An item, and the columns that its job adds. */
export interface SpooledItem {
  readonly item: Exact;
  readonly columns: ExactObject;
}

/** With the bytes of its line in the batch that had it. */
interface ReadItem extends SpooledItem {
  readonly bytes: number;
}

export function createSpool(dir: string, name: string, openFile: OpenFile | undefined): Spool {
  const folder = `${dir}${extension}`;
  const files = createFileSink({ name, dir: folder, extension, notify: () => {}, openFile });
  return {
    files,
    read: (dataType) => readItems(partialOf(files.pathOf(dataType))),
    remove: () => removeFiles(folder),
    isThere: async () => (await filesIn(folder)).length > 0,
  };
}

/** The lines of a batch. `filter` replaces items. */
export function spoolLines(batch: Batch, filter: ((item: Exact) => Exact) | undefined): Items {
  const names = batch.columns ?? [];
  const head = `${names.length === 0 ? '' : JSON.stringify(names)}\t`;
  const lines = Array.from({ length: batch.count }, (_, index) => {
    const text = itemAt(batch, index);
    return Buffer.from(head + (filter === undefined ? text : `${filtered(text, names, filter)}\n`));
  });
  return joinItems(lines);
}

/** The item is filtered without the columns that the job adds. */
function filtered(text: string, names: readonly string[], filter: (item: Exact) => Exact): string {
  const { item, columns } = apart(parseExact(text), names);
  const changed = filter(item);
  if (columns.size === 0) return stringifyExact(changed);
  return stringifyExact(new Map([...(isObject(changed) ? changed : []), ...columns]));
}

/** The columns that the job adds are the last members, also if an item has their names and they got others. */
export function apart(value: Exact, names: readonly string[]): SpooledItem {
  if (names.length === 0 || !isObject(value)) return { item: value, columns: new Map() };
  const members = [...value];
  const own = members.slice(0, members.length - names.length);
  const added = members.slice(own.length).map(([, each]) => each);
  return { item: new Map(own), columns: new Map(names.map((name, index) => [name, added[index] ?? null])) };
}

async function* readItems(path: string): AsyncGenerator<ReadItem> {
  try {
    const file = await open(path);
    try {
      for await (const lines of eachLines(file, Number.POSITIVE_INFINITY)) yield* itemsIn(lines);
    } finally {
      await file.close();
    }
  } catch (thrown) {
    throw refused(`read "${path}"`, thrown);
  }
}

/** A line ends at a line feed only: texts of items may have the other line ends of Unicode. */
function* itemsIn(lines: Buffer): Generator<ReadItem> {
  let at = 0;
  for (let end = lines.indexOf(lineFeed); end !== -1; end = lines.indexOf(lineFeed, at)) {
    const tab = lines.indexOf(tabulator, at);
    const names = tab === at ? [] : namesIn(lines.toString('utf8', at, tab));
    const item = apart(parseExact(lines.toString('utf8', tab + 1, end)), names);
    at = end + 1;
    yield { ...item, bytes: at - tab - 1 };
  }
}

const namesIn = (text: string): readonly string[] => {
  const names = parseExact(text);
  return isArray(names) ? names.map(String) : [];
};

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((file) => file.endsWith(partialOf(extension)));
  } catch (thrown) {
    if (systemError(thrown)?.code === 'ENOENT') return [];
    throw refused(`read the directory "${folder}"`, thrown);
  }
}

/** The folder stays if it has other files. */
async function removeFiles(folder: string): Promise<void> {
  for (const file of await filesIn(folder)) {
    const path = join(folder, file);
    await unlink(path).catch((thrown: unknown) => {
      throw refused(`remove "${path}"`, thrown);
    });
  }
  await rmdir(folder).catch(() => {});
}
