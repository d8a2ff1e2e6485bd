/** Files of newline-delimited JSON, one per data type; compressed, or in numbered parts. */
import type { Notify } from '../../src/core/model/notice.js';
import { usageError } from '../../src/core/util/check-value.js';
import type { Sink } from '../contract.js';
import type { SinkEntry } from '../entry.js';
import { stdout } from '../stdout.js';
import type { FileMode } from './added-files.js';
import { type Compression, codecOf } from './codec.js';
import { ndjsonOptions } from './file-options.js';
import { createFileSink } from './file-sink.js';
import type { OpenFile } from './output-file.js';
import type { Packing } from './partial-files.js';
import { withFiles } from './with-files.js';

export interface NdjsonOptions {
  /** Receives a notice when a file cannot have the plain name of its data type. */
  readonly notify?: Notify | undefined;
  /** Opens files; tests replace it to simulate disk faults. */
  readonly openFile?: OpenFile | undefined;
  /** `append`: each run adds files of its own. Default: `replace`. */
  readonly mode?: FileMode | undefined;
  /** Writes `.ndjson.gz` or `.ndjson.zst`. */
  readonly compress?: Compression | undefined;
  /** Writes parts of at most so many bytes before compression; a larger item has a part of its own. */
  readonly rotateBytes?: number | undefined;
}

/**
 * Writes `<dir>/<data type>.ndjson` when the run has succeeded, with `.gz` or `.zst` if it is compressed. Throws
 * ERR_USAGE for a compression that this Node lacks. docs/07-sinks.md#ndjson.
 */
export function ndjson(dir: string, options: NdjsonOptions = {}): Sink {
  const { notify = () => {}, openFile, mode } = options;
  const packing = packingOf(options);
  const files = createFileSink({ name: `ndjson:${dir}`, dir, extension: '.ndjson', notify, openFile, packing, mode });
  return withFiles(files.sink, files.folderOf, mode === 'append');
}

/** Undefined: the files are written as they are. */
function packingOf({ compress, rotateBytes }: NdjsonOptions): Packing | undefined {
  if (compress === undefined && rotateBytes === undefined) return undefined;
  return { codec: codecOf(compress), rotateBytes };
}

export const ndjsonEntry: SinkEntry<typeof ndjsonOptions> = {
  summary: 'a file of newline-delimited JSON for each data type, published after the run has succeeded',
  address: { form: 'ndjson:DIR', target: 'directory', parts: { target: 'dir' } },
  options: ndjsonOptions,
  code: 'ndjson(dir, { notify, mode, compress, rotateBytes })',
  recovery: 'cut',
  rules: [
    'In the name of the directory, `?` is written `%3F`, and `%` before two digits `%25`.',
    '`ndjson:-` is standard output, as `stdout:`. A directory of that name is `ndjson:./-`.',
    'With `compress` a file is one gzip member or zstd frame; what a resume adds after a cut is another frame in zstd. `zstd` needs Node 22.15, 23.8 or later.',
    'With `mode=append` the files of earlier runs stay as they are. Those of a run have its start and its name, so they sort by time; a data type without items has none. All files of a run are published together. An unfinished run that another one replaces loses its temporary files.',
    'With `rotate` the files of a data type are `users-000001.ndjson`, `users-000002.ndjson` and so on. A part ends before the item that would exceed the size, so the parts are the same whatever the size of pages. All parts are published together, and parts of an earlier run are removed.',
  ],
  example: 'ndjson:out',
  outputNames: ({ mode, compress, rotate }) => `${mode} ${compress} ${rotate === undefined}`,
  create({ dir, mode, compress, rotate }, { notify, given, stdout: stream }) {
    if (dir !== '-') return ndjson(dir, { notify, mode, compress, rotateBytes: rotate });
    if (given.size === 1) return stdout(stream);
    throw usageError(
      'ndjson: standard output cannot be compressed, rotated or appended to: use a directory, or a pipe to gzip',
    );
  },
};
