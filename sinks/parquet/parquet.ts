/** Writes a Parquet file for each data type. */
import { optionsInCode } from '../addresses/options.js';
import type { Earlier, Sink, SinkOutput } from '../contract.js';
import type { SinkEntry } from '../entry.js';
import { refused } from '../errors.js';
import { fileMode } from '../files/added-files.js';
import { directory } from '../files/file-options.js';
import { createFileSink, type FileSink } from '../files/file-sink.js';
import { partialOf } from '../files/parts.js';
import { checkpointFrom } from '../files/resume-file.js';
import { withFiles } from '../files/with-files.js';
import { warnOfSurrogates } from '../lone-surrogates.js';
import { type ListOptions, listOptions, listSettings, listsRule } from '../related-tables/list-options.js';
import { type PagedSink, withLists } from '../related-tables/with-lists.js';
import { noticeOfCase } from '../tables/column-case.js';
import { typesRule } from '../tables/text-forms.js';
import { pageCodecOf } from './compression.js';
import { type ConvertOptions, convert } from './convert-file.js';
import { type ParquetOptions, parquetOptions } from './parquet-options.js';
import { type ConvertedFile, hasRows, madeFrom, noteOf } from './read-footer.js';

/** The state of the sink. */
interface Run {
  readonly files: FileSink;
  /** The files that were made, by their final names. */
  readonly made: Map<string, ConvertedFile>;
  /** The notes of files that an earlier process may have made, by data type. */
  readonly notes: Map<string, string>;
}

/**
 * Writes `<dir>/<data type>.parquet` when the run has succeeded, with a column for each member. During the run items
 * are staged as NDJSON, in `.parquet.partial`. Throws ERR_USAGE for a compression that this Node lacks, and for a
 * `rowGroup` that is no number from 1. docs/07-sinks.md#parquet.
 */
export function parquet(dir: string, { lists, key, ...options }: ParquetOptions & ListOptions = {}): Sink {
  const { mode, notify } = options;
  const settings = listSettings('parquet', { lists, key });
  return withLists(parquetFiles(dir, options), {
    ...settings,
    kind: 'parquet',
    notify,
    isAppending: mode === 'append',
  });
}

/** The same for sinks that stage files; lists are values of their items. */
export function parquetFiles(dir: string, options: ParquetOptions = {}): PagedSink {
  const run = beginRun(dir, options);
  const { sink, pathOf, folderOf } = run.files;
  const tables: PagedSink = {
    ...sink,
    resume: (earlier) => resume(run, earlier),
    ...(sink.published !== undefined && {
      published: async (dataType) => ((await hasRows(pathOf(dataType))) ? [pathOf(dataType)] : []),
    }),
    summary: () => sink.summary().map((output) => withTable(output, run)),
  };
  return withFiles(tables, folderOf, options.mode === 'append');
}

function withTable(output: SinkOutput, { made }: Run): SinkOutput {
  const table = made.get(output.name);
  if (table === undefined) return output;
  const { bytes, columns, changed } = table;
  return { ...output, size: bytes, columns, ...(changed.length > 0 && { changed }) };
}

function beginRun(dir: string, options: ParquetOptions): Run {
  const { notify = () => {}, openFile, ...values } = options;
  const { mode, compression, rowGroup, nested, types } = optionsInCode('parquet', inCode, values);
  const form = {
    codec: pageCodecOf(compression),
    groupRows: rowGroup,
    nestedAsJson: nested === 'json',
    findsForms: types === 'auto',
  };
  const made = new Map<string, ConvertedFile>();
  const notes = new Map<string, string>();
  const files = createFileSink({
    name: `parquet:${dir}`,
    dir,
    extension: '.parquet',
    mode,
    notify,
    openFile,
    async make(dataType, path) {
      const target = `${path}.made`;
      const onColumns = (names: readonly string[]) => noticeOfCase(dataType, names, notify);
      const given = { ...form, dataType, onLoneSurrogate: warnOfSurrogates(dataType, notify), onColumns };
      made.set(path, await converted(path, target, given));
      return target;
    },
    async isMade(dataType, path) {
      const found = await madeFrom(path, notes.get(dataType) ?? '');
      if (found !== undefined) made.set(path, found);
      return found !== undefined;
    },
  });
  return { files, made, notes };
}

function converted(path: string, target: string, options: ConvertOptions): Promise<ConvertedFile> {
  return convert(partialOf(path), target, options).catch((thrown: unknown) => {
    throw refused(`write "${path}"`, thrown);
  });
}

/** Keeps what the files would say that an earlier process may have made of the items at the checkpoints. */
async function resume({ files, notes }: Run, earlier: Earlier): Promise<void> {
  notes.clear();
  for (const [dataType, checkpoint] of earlier.checkpoints) {
    const { bytes, crc } = checkpointFrom(checkpoint, false);
    notes.set(dataType, noteOf(bytes, crc));
  }
  await files.sink.resume(earlier);
}

const inCode = { mode: fileMode, ...parquetOptions };
const rows = { dir: directory, ...inCode, ...listOptions };

export const parquetEntry: SinkEntry<typeof rows> = {
  summary: 'a Parquet file for each data type, published after the run has succeeded',
  address: { form: 'parquet:DIR', target: 'directory', parts: { target: 'dir' } },
  options: rows,
  code: 'parquet(dir, { mode, compression, rowGroup, nested, types, lists, key, notify })',
  recovery: 'cut',
  rules: [
    'During the run items are staged as NDJSON in `.parquet.partial`. When the run has succeeded, the Parquet files are made from them, all of them before the first one gets its name.',
    'Types are those that hold all values exactly. Whole numbers are `INT64`; other numbers `DECIMAL(18, s)` or `DECIMAL(38, s)`, `s` being the most digits after a point; `DOUBLE` if 38 digits are too few, or one has more than nine after the point and fifteen in all, and each of them is a double; else `STRING`. Values of several kinds are a `STRING` with each as it was sent, or `JSON` if objects or lists are among them.',
    typesRule('`DATE`, `TIMESTAMP(MICROS)` or `UUID`'),
    'Objects are structs, lists are lists, to any depth up to 32. An object within items with more than 1,000 different members, such as one whose names are ids, is `JSON`, and so is one with an empty name. With `nested=json` all objects and lists are.',
    listsRule,
    'Columns have the order in which items first have them. `null` and a missing member are null; a column with nothing else is a `STRING`. An item that is not an object has one column, `data`, and so has a file without columns.',
    'Of several members of one name the last one counts. Two names that differ in halves of surrogate pairs only are an error, and so are more than 20,000 columns.',
    'A text with half of a surrogate pair is written with U+FFFD, with the warning `lone-surrogate`. In `JSON` it keeps its escape.',
  ],
  example: 'parquet:out',
  create: ({ dir, ...options }, { notify }) => parquet(dir, { ...options, notify }),
};
