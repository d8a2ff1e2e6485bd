/** Files of newline-delimited JSON, one per data type; compressed, or in numbered parts. */
import type { Notify } from '../../src/core/model/notice.js';
import type { Sink } from '../contract.js';
import { type Compression, codecOf } from './codec.js';
import { createFileSink } from './file-sink.js';
import type { OpenFile } from './output-file.js';
import type { Packing } from './partial-files.js';

export interface NdjsonOptions {
  /** Receives a notice when a file cannot have the plain name of its data type. */
  readonly notify?: Notify | undefined;
  /** Opens files; tests replace it to simulate disk faults. */
  readonly openFile?: OpenFile | undefined;
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
  const { notify = () => {}, openFile } = options;
  const packing = packingOf(options);
  return createFileSink({ name: `ndjson:${dir}`, dir, extension: '.ndjson', notify, openFile, packing }).sink;
}

/** Undefined: the files are written as they are. */
function packingOf({ compress, rotateBytes }: NdjsonOptions): Packing | undefined {
  if (compress === undefined && rotateBytes === undefined) return undefined;
  return { codec: codecOf(compress), rotateBytes };
}
