/** The options of Parquet files. */
import type { Notify } from '../../src/core/model/notice.js';
import type { GivenOptions, OptionRows } from '../../src/core/options/kind.js';
import { whole, word } from '../../src/core/options/kinds.js';
import type { FileMode } from '../files/added-files.js';
import type { OpenFile } from '../files/output-file.js';
import { typeOptions } from '../tables/text-forms.js';
import { parquetCompressions } from './compression.js';

export const parquetOptions = {
  compression: {
    kind: word(...parquetCompressions),
    summary: 'how pages are compressed; `zstd` needs Node 22.15, 23.8 or later',
    default: 'snappy',
  },
  rowGroup: {
    kind: whole(1),
    summary: 'the most items of a row group; one with 32 MiB of items ends earlier',
    default: 100_000,
  },
  nested: {
    kind: word('structs', 'json'),
    summary: 'objects and lists in items: `structs` writes structs and lists, `json` their JSON as text',
    default: 'structs',
  },
  ...typeOptions,
} as const satisfies OptionRows;

export interface ParquetOptions extends GivenOptions<typeof parquetOptions> {
  /** `append`: each run adds files of its own. Default: `replace`. */
  readonly mode?: FileMode | undefined;
  /** Receives notices, such as those of lone surrogates. */
  readonly notify?: Notify | undefined;
  /** Opens the files of the run; tests replace it to simulate disk faults. */
  readonly openFile?: OpenFile | undefined;
}
