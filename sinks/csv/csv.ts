/** Writes a CSV file for each data type. */
import { open } from 'node:fs/promises';
import { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, emptyObject, isObject } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import { changedOf } from '../../src/core/options/object-kinds.js';
import { optionsInCode } from '../addresses/options.js';
import { borrowing } from '../borrowing.js';
import type { Earlier, Sink } from '../contract.js';
import type { SinkEntry } from '../entry.js';
import { refused } from '../errors.js';
import { fileMode } from '../files/added-files.js';
import { directory } from '../files/file-options.js';
import { createFileSink, type FileSink } from '../files/file-sink.js';
import { partialOf } from '../files/parts.js';
import { withFiles } from '../files/with-files.js';
import { warnOfSurrogates } from '../lone-surrogates.js';
import { type ListOptions, listOptions, listSettings, listsRule } from '../related-tables/list-options.js';
import { type PagedSink, withLists } from '../related-tables/with-lists.js';
import { noticeOfCase } from '../tables/column-case.js';
import { type CsvOptions, csvOptions } from './csv-options.js';
import { type CsvTable, createTable, noTable, type TableEnd } from './csv-table.js';
import { needsPadding, paddedBytes, writePadded } from './padding.js';

/** The state of the sink: the tables by data type, and their ends at the last commit. */
interface Run {
  readonly files: FileSink;
  readonly tables: Map<string, CsvTable>;
  readonly commits: Map<string, TableEnd>;
  readonly tableOf: (dataType: string) => CsvTable;
  /** Identifies the options: a resume needs the same. */
  readonly form: string;
}

/**
 * Writes `<dir>/<data type>.csv` after RFC 4180 when the run has succeeded, with a column for each member, in the order
 * in which items first have them. Throws ERR_USAGE for a delimiter that is not one character. docs/07-sinks.md#csv.
 */
export function csv(dir: string, { lists, key, ...options }: CsvOptions & ListOptions = {}): Sink {
  const { mode, notify } = options;
  const settings = listSettings('csv', { lists, key });
  return withLists(csvFiles(dir, options), { ...settings, kind: 'csv', notify, isAppending: mode === 'append' });
}

/** The same for sinks that stage files; lists are values of their items. */
export function csvFiles(dir: string, options: CsvOptions = {}): PagedSink {
  const run = beginRun(dir, options);
  const { sink, folderOf } = run.files;
  const tables = {
    ...sink,
    ...pages(run),
    resume: (earlier: Earlier) => resume(run, earlier),
    summary: () => sink.summary().map((output) => withTable(output, run.tableOf(output.dataType))),
  };
  return withFiles(tables, folderOf, options.mode === 'append');
}

function withTable<Output extends { readonly bytes: number; readonly unfinished?: true }>(
  output: Output,
  table: CsvTable,
) {
  const { columns, itemBytes } = table.end();
  const size = output.unfinished === true ? output.bytes : finalBytes(table);
  return { ...output, bytes: itemBytes, columns, size };
}

const finalBytes = (table: CsvTable): number => (needsPadding(table) ? paddedBytes(table) : table.end().bytes);

function beginRun(dir: string, options: CsvOptions): Run {
  const { notify = () => {}, openFile, ...values } = options;
  const complete = optionsInCode('csv', inCode, values);
  const { mode, delimiter, bom, nested, escape: escaped } = complete;
  const code = delimiter.charCodeAt(0);
  const tables = new Map<string, CsvTable>();
  const tableOf = (dataType: string): CsvTable => {
    const known = tables.get(dataType);
    if (known !== undefined) return known;
    const form = {
      delimiter: code,
      escapesFormulas: escaped === 'formulas',
      onLoneSurrogate: warnOfSurrogates(dataType, notify),
    };
    const table = createTable(dataType, { ...form, isFlat: nested === 'dot', hasMark: bom });
    tables.set(dataType, table);
    return table;
  };
  const files = createFileSink({
    name: `csv:${dir}`,
    dir,
    extension: '.csv',
    mode,
    notify,
    openFile,
    async make(dataType, path) {
      const table = tableOf(dataType);
      noticeOfCase(dataType, table.names(), notify);
      if (!needsPadding(table)) return undefined;
      await writePadded(partialOf(path), `${path}.padded`, table, code).catch((thrown: unknown) => {
        throw refused(`write "${path}"`, thrown);
      });
      return `${path}.padded`;
    },
    isMade: (dataType, path) => isMade(tableOf(dataType), path),
  });
  return {
    files,
    tables,
    commits: new Map(),
    tableOf,
    form: changedOf(csvOptions, complete),
  };
}

/** Whether the file is the padded one: it has its header and its size. */
async function isMade(table: CsvTable, path: string): Promise<boolean> {
  const header = table.header();
  const start = await startOf(path, header.length);
  if (start === undefined || !start.bytes.equals(header)) return false;
  return needsPadding(table) && start.size === paddedBytes(table);
}

function pages({ files, commits, tableOf, form }: Run): Required<Pick<Sink, 'write' | 'commit' | 'rollback'>> {
  const { sink } = files;
  return {
    write: borrowing((batch, signal) => {
      const table = tableOf(batch.dataType);
      const before = table.end();
      const undo = (thrown: unknown): never => {
        table.cut(before);
        throw thrown;
      };
      try {
        const waiting = sink.write(encoded(batch, table), signal);
        return waiting instanceof Promise ? waiting.catch(undo) : waiting;
      } catch (thrown) {
        return undo(thrown);
      }
    }),
    commit(page, signal) {
      const table = tableOf(page.dataType);
      commits.set(page.dataType, table.end());
      const committed = sink.commit(page, signal);
      if (committed === undefined) return undefined; // The run stores no state.
      const state = table.endAsExact();
      const combine = (file: Exact) => new Map<string, Exact>([['file', file], ['form', form], ...state]);
      return committed instanceof Promise ? committed.then((file) => combine(file ?? null)) : combine(committed);
    },
    async rollback(dataType) {
      await sink.rollback(dataType);
      tableOf(dataType).cut(commits.get(dataType) ?? noTable);
    },
  };
}

const encoded = (batch: Batch, table: CsvTable): Batch => ({ ...batch, bytes: table.encode(batch) });

/** Reads the headers of the files that the earlier process left, before the files are continued. */
async function resume({ files, tables, commits, tableOf, form }: Run, earlier: Earlier): Promise<void> {
  tables.clear();
  commits.clear();
  const given = [...earlier.checkpoints].map(
    ([dataType, checkpoint]) => [dataType, isObject(checkpoint) ? checkpoint : emptyObject] as const,
  );
  if (given.some(([, table]) => table.get('form') !== form)) {
    throw new ExtractError('ERR_RESUME', 'the run wrote files with other options: resume with the same address');
  }
  const checkpoints = new Map(given.map(([dataType, table]) => [dataType, table.get('file') ?? null]));
  files.keepNames({ ...earlier, checkpoints });
  for (const [dataType, state] of given) {
    const path = files.pathOf(dataType);
    const start = (await headerOf(partialOf(path))) ?? (await headerOf(path)) ?? Buffer.alloc(0);
    const table = tableOf(dataType);
    if (!table.restore(state, start)) {
      throw new ExtractError('ERR_RESUME', `the first line of "${partialOf(path)}" does not match the checkpoint`);
    }
    commits.set(dataType, table.end());
  }
  await files.sink.resume({ ...earlier, checkpoints });
}

/** Longer headers are read in a second attempt. */
const headerBytes = 64 * 1024;

/** The start of a file with its first row; undefined: there is no file. */
async function headerOf(path: string): Promise<Buffer | undefined> {
  for (let length = headerBytes; ; length *= 8) {
    const start = await startOf(path, length);
    if (start === undefined || start.bytes.length < length || start.bytes.includes('\r\n')) return start?.bytes;
  }
}

async function startOf(path: string, length: number) {
  const handle = await open(path, 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(length);
    const { bytesRead } = await handle.read(bytes, 0, length, 0);
    return { bytes: bytes.subarray(0, bytesRead), size: (await handle.stat()).size };
  } finally {
    await handle.close();
  }
}

const inCode = { mode: fileMode, ...csvOptions };
const rows = { dir: directory, ...inCode, ...listOptions };

export const csvEntry: SinkEntry<typeof rows> = {
  summary: 'a CSV file for each data type, published after the run has succeeded',
  address: { form: 'csv:DIR', target: 'directory', parts: { target: 'dir' } },
  options: rows,
  code: 'csv(dir, { mode, delimiter, bom, nested, escape, lists, key, notify })',
  recovery: 'cut',
  rules: [
    'RFC 4180: lines end with CR LF, and cells with the delimiter, a quote or an end of line are quoted.',
    'Columns have the order in which items first have them. If a column appears after the first batch, the final file is written anew from the rows, so it is the same whatever the size of pages.',
    '`null` and a missing member are an empty cell, an empty text is `""`. Numbers keep every digit. Lists are JSON, and with `nested=json` objects too. An item that is not an object has one column, `data`.',
    listsRule,
    'With `nested=dot`, two members that would be one column, such as `{"a.b": 1, "a": {"b": 2}}`, are an error.',
    'A text with half of a surrogate pair is written with U+FFFD, with the warning `lone-surrogate`.',
  ],
  example: 'csv:out',
  create: ({ dir, ...options }, { notify }) => csv(dir, { ...options, notify }),
};
