/** Writes items as CSV tables with manifests, lists as tables of their own: the output of Generic Extractor. */
import { readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type Exact, type ExactObject, emptyObject } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import { type Batch, itemAt } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import type { OptionRows } from '../../src/core/options/kind.js';
import { type AddedNames, automaticRows, type TableOutput } from '../../src/core/tables/automatic-rows.js';
import type { JobTables } from '../../src/core/tables/job-tables.js';
import { mappedRows } from '../../src/core/tables/mapped-rows.js';
import { headerOf, keyOf, type TableMapping, tablesOf } from '../../src/core/tables/mapping.js';
import { safeName } from '../../src/core/tables/safe-names.js';
import { createStructure, type Structure, type StructureNode } from '../../src/core/tables/structure.js';
import { structureState, structuresIn } from '../../src/core/tables/structure-state.js';
import { planTables } from '../../src/core/tables/table-plan.js';
import type { Closing, Earlier, Sink, SinkOutput } from '../contract.js';
import type { SinkEntry } from '../entry.js';
import { directory } from '../files/file-options.js';
import type { OpenFile } from '../files/output-file.js';
import { apart, createSpool, type Spool, spoolLines } from './spool.js';
import { createTableFiles, fileName, type TableFiles, type WrittenTable } from './table-files.js';

export interface TablesOptions {
  /** Receives notices, such as that of lists that became texts. */
  readonly notify?: Notify | undefined;
  /** Opens files; tests replace it to simulate disk faults. */
  readonly openFile?: OpenFile | undefined;
  /** The state of an earlier run: its columns come first. */
  readonly state?: ExactObject | undefined;
}

/** A sink of tables, and what the next state keeps of them. */
export interface TablesSink extends Sink {
  /** The members of the next state; none if a mapping describes tables, or nothing was written. */
  structures(): ExactObject;
}

/** What is known of a data type. */
interface DataTypeTables {
  /** As the run names it: with its bucket. */
  readonly key: string;
  readonly settings: JobTables;
  readonly mapping: TableMapping | undefined;
  /** Filters of its jobs, by their names. */
  readonly filters: Map<string, (item: Exact) => Exact>;
  structure: Structure;
  /** The columns that its jobs add. */
  added: Set<string>;
  /** The structure has items that were rolled back, or lacks those of an earlier process. */
  isUncertain: boolean;
}

interface Run {
  readonly dir: string;
  readonly options: TablesOptions;
  readonly spool: Spool;
  readonly dataTypes: Map<string, DataTypeTables>;
  readonly known: ReadonlyMap<string, StructureNode>;
  isStored: boolean;
  /** Data types of which an earlier process has left items. */
  left: readonly string[];
  /** An earlier process has published all. */
  isPublished: boolean;
  written: readonly WrittenTable[] | undefined;
  /** The bytes of the items, by data type. */
  readonly itemBytes: Map<string, number>;
}

/**
 * Writes the tables of each data type to `<dir>` when the run has succeeded. The items wait in `<dir>.spool`, so that
 * columns and tables of all items are known. Memory holds the names of columns, not the rows. docs/15-tables.md.
 */
export function tables(dir: string, options: TablesOptions = {}): TablesSink {
  const name = `tables:${dir}`;
  const spool = createSpool(dir, name, options.openFile);
  const run: Run = {
    dir,
    options,
    spool,
    dataTypes: new Map(),
    known: structuresIn(options.state ?? emptyObject),
    isStored: false,
    left: [],
    isPublished: false,
    written: undefined,
    itemBytes: new Map(),
  };
  const { sink } = spool.files;
  return {
    ...sink,
    name,
    hasBuckets: true,
    resume: (earlier) => resume(run, earlier),
    async open(dataType, job, opening) {
      if (run.isPublished) return;
      const { filters } = dataTypeOf(run, dataType, opening?.tables);
      const filter = opening?.tables?.filter;
      if (filter !== undefined) filters.set(job, filter);
      await sink.open(dataType, job, opening);
    },
    write: (batch, signal) => sink.write(spooled(run, batch), signal),
    async rollback(dataType) {
      await sink.rollback(dataType);
      const known = run.dataTypes.get(dataType);
      if (known !== undefined) known.isUncertain = true;
    },
    published: (dataType) => earlierTable(run, dataType),
    close: (closing) => close(run, closing),
    async abort(reason) {
      await sink.abort(reason);
      if (!run.isStored) await spool.remove();
    },
    summary: () => (run.written === undefined && !run.isPublished ? sink.summary() : outputsOf(run)),
    structures: () => structuresOf(run),
  };
}

/** The settings of a data type without a configuration, as in code. */
const plainTables = (dataType: string): JobTables => ({
  dataType,
  mappings: new Map(),
  isIncremental: false,
  level: 3,
});

/** Starts without the items of earlier runs, or continues those of the interrupted one. */
async function resume(run: Run, earlier: Earlier): Promise<void> {
  run.isStored = earlier.isStored;
  run.dataTypes.clear();
  const isFresh = earlier.phase === 'writing' && earlier.checkpoints.size === 0;
  if (isFresh) await run.spool.remove();
  run.isPublished = earlier.phase === 'publishing' && !(await run.spool.isThere());
  if (run.isPublished) return;
  await run.spool.files.sink.resume(earlier);
  run.left = [...earlier.checkpoints.keys()];
}

/** What is known of a data type; `settings` are those of one of its jobs. */
function dataTypeOf(run: Run, key: string, settings: JobTables = plainTables(key)): DataTypeTables {
  const known = run.dataTypes.get(key);
  if (known !== undefined) return known;
  const { dataType, mappings } = settings;
  const made = {
    key,
    settings,
    mapping: mappings.get(dataType),
    filters: new Map<string, (item: Exact) => Exact>(),
    structure: createStructure(dataType, run.known.get(dataType)),
    added: new Set<string>(),
    isUncertain: run.isStored,
  };
  run.dataTypes.set(key, made);
  return made;
}

/** The lines of a batch. Items that fit no table are an error now, at their page. Throws ERR_TABLE and ERR_FILTER. */
function spooled(run: Run, batch: Batch): Batch {
  const known = dataTypeOf(run, batch.dataType);
  const { filters, added, mapping } = known;
  const filter = filters.get(batch.job);
  const names = batch.columns ?? [];
  for (const each of names) added.add(each);
  const lines = spoolLines(batch, filter);
  if (mapping === undefined && !known.isUncertain) {
    for (let index = 0; index < batch.count; index++) {
      const { item } = apart(parseExact(itemAt(batch, index)), names);
      known.structure.grow(filter === undefined ? item : filter(item));
    }
  }
  return { ...batch, ...lines };
}

/** The earlier table of the data type, if it has rows. */
async function earlierTable(run: Run, dataType: string): Promise<readonly string[]> {
  const known = run.dataTypes.get(dataType);
  if (known === undefined) return [];
  const path = rootPath(run, known);
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.indexOf('\n') < text.length - 1 ? [path] : [];
}

const rootName = ({ settings: { dataType }, mapping }: DataTypeTables): string => mapping?.name ?? safeName(dataType);

const rootPath = ({ dir }: Run, known: DataTypeTables): string =>
  join(dir, fileName(rootName(known), known.settings.bucket));

async function close(run: Run, { keep }: Closing = { keep: new Set() }): Promise<void> {
  if (run.isPublished || run.written !== undefined) return;
  const { spool, dir, options, left } = run;
  for (const key of left) dataTypeOf(run, key);
  await spool.files.sink.durable?.();
  await spool.files.sink.abort('the items become tables');
  const files = createTableFiles(dir, options.openFile);
  try {
    const dataTypes = [...run.dataTypes.values()].filter(({ key }) => !keep.has(key));
    for (const each of dataTypes) if (each.isUncertain) await growAgain(run, each);
    await writeAll(run, dataTypes, files);
    run.written = await files.publish();
    await removeOld(run, dataTypes);
  } catch (thrown) {
    await files.remove();
    throw thrown;
  }
  await spool.remove();
}

/** Reads the structure of the items that count. */
async function growAgain({ spool, known }: Run, dataType: DataTypeTables): Promise<void> {
  const { settings, mapping, key } = dataType;
  dataType.structure = createStructure(settings.dataType, known.get(settings.dataType));
  dataType.added = new Set();
  for await (const { item, columns } of spool.read(key)) {
    for (const name of columns.keys()) dataType.added.add(name);
    if (mapping === undefined) dataType.structure.grow(item);
  }
}

type WriteItem = (item: Exact, columns: ExactObject) => void;

/** Defines the tables of all data types before the first row, because two may share a file. */
async function writeAll(run: Run, dataTypes: readonly DataTypeTables[], files: TableFiles): Promise<void> {
  const names: AddedNames = new Map();
  const writers = dataTypes.map((each) => [each, writerOf(each, files, names)] as const);
  for (const [{ key, structure, settings }, write] of writers) {
    if (write === undefined) continue;
    let itemBytes = 0;
    for await (const { item, columns, bytes } of run.spool.read(key)) {
      write(item, columns);
      itemBytes += bytes;
      await files.flush();
    }
    run.itemBytes.set(key, itemBytes);
    if (structure.hasInnerLists) warnOfInnerLists(settings.dataType, run.options);
  }
  for (const each of dataTypes) defineRest(each, files);
}

/** Undefined: there are no items, and no mapping that says which columns there are. */
function writerOf(known: DataTypeTables, files: TableFiles, names: AddedNames): WriteItem | undefined {
  const { settings, mapping, structure, added } = known;
  if (mapping !== undefined) return mappedRows(mapping, outputFor(known, files, mapping));
  if (structure.isEmpty) return undefined;
  const plan = planTables(settings.dataType, structure.root);
  const adding = { added: [...added], names, overwrites: settings.level === 1 };
  return automaticRows(plan, adding, outputFor(known, files, undefined));
}

function outputFor(
  { key, settings: { bucket, isIncremental } }: DataTypeTables,
  files: TableFiles,
  mapping: TableMapping | undefined,
): TableOutput {
  const keys = new Map((mapping === undefined ? [] : tablesOf(mapping)).map((each) => [each.name, keyOf(each)]));
  return {
    table: (name, columns, isOpen) =>
      files.define(name, columns, { dataType: key, bucket, isIncremental, key: keys.get(name) ?? [], isOpen }),
  };
}

/** Tables of mappings that got no row have a header. */
function defineRest(known: DataTypeTables, files: TableFiles): void {
  const { bucket, mappings } = known.settings;
  for (const mapping of mappings.values()) {
    const output = outputFor(known, files, mapping);
    for (const table of tablesOf(mapping)) {
      if (!files.has(table.name, bucket)) output.table(table.name, headerOf(table, false), false);
    }
  }
}

/** A data type without items has no table: that of an earlier run would be taken for its items. */
async function removeOld(run: Run, dataTypes: readonly DataTypeTables[]): Promise<void> {
  const written = new Set(run.written?.map(({ path }) => path));
  for (const each of dataTypes) {
    const path = rootPath(run, each);
    if (written.has(path)) continue;
    for (const file of [path, `${path}.manifest`]) await unlink(file).catch(() => {});
  }
}

function warnOfInnerLists(dataType: string, { notify }: TablesOptions): void {
  const message = `"${dataType}": a list directly inside a list is no table: it is written as JSON text`;
  notify?.({ level: 'warning', code: 'list-as-text', message });
}

/** The tables that were written. The bytes of items count for the table of the items, not for those of their lists. */
function outputsOf(run: Run): readonly SinkOutput[] {
  return (run.written ?? []).map(({ path, dataType, rows, bytes, columns }) => {
    const known = run.dataTypes.get(dataType);
    const isRoot = known !== undefined && path === rootPath(run, known);
    const itemBytes = isRoot ? (run.itemBytes.get(dataType) ?? 0) : 0;
    return { dataType, name: path, items: rows, bytes: itemBytes, size: bytes, columns };
  });
}

function structuresOf({ dataTypes, known }: Run): ExactObject {
  const all = [...dataTypes.values()];
  if (all.some(({ settings }) => settings.mappings.size > 0)) return emptyObject;
  const grown = all.filter(({ structure }) => !structure.isEmpty);
  if (grown.length === 0) return emptyObject;
  return structureState(
    new Map([...known, ...grown.map(({ settings, structure }) => [settings.dataType, structure.root] as const)]),
  );
}

const rows = { dir: directory } satisfies OptionRows;

export const tablesEntry: SinkEntry<typeof rows> = {
  summary: 'tables in CSV as Generic Extractor writes them, with manifests, lists being tables of their own',
  address: { form: 'tables:DIR', target: 'directory', parts: { target: 'dir' } },
  options: rows,
  code: 'tables(dir, { notify })',
  recovery: 'cut',
  rules: [
    'A file for each table, without an extension, and beside it `TABLE.manifest`. Members of objects are columns, `address_city`; a list is a table, `users_tags`, whose rows refer to their owner by `JSON_parentId`.',
    '`config.mappings` chooses columns and tables; `outputBucket`, `incrementalOutput`, `compatLevel` and `responseFilter` have their effect.',
    'Every cell is between quotes, lines end with LF. `true` is `1`, `false` and `null` are empty; numbers of more than 64 bits and fractions have 14 digits.',
    'The items wait in `DIR.spool` until the run has ended, because a column may first appear in the last item. They need their own size on the disk.',
    'A data type that has items of two kinds that are no column together, such as an object and a text, is an error at the page of the second.',
  ],
  example: 'tables:out/tables',
  create: ({ dir }, { notify }) => tables(dir, { notify }),
};
