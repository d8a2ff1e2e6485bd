/** The options of Parquet files, in code and in an address. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Notify } from '../../src/core/model/notice.js';
import { didYouMean } from '../../src/core/util/suggest.js';
import { type AddressOptions, decodeText, type SinkAddress } from '../addresses/address.js';
import type { OpenFile } from '../files/output-file.js';
import { type ParquetCompression, parquetCompressions } from './compression.js';

export interface ParquetOptions {
  /** Default: `snappy`, which all readers have. */
  readonly compression?: ParquetCompression | undefined;
  /** The most items of a row group, from 1; default: 100,000. */
  readonly rowGroup?: number | undefined;
  /** Objects and lists in items: structs and lists (`structs`, the default), or their JSON text (`json`). */
  readonly nested?: 'structs' | 'json' | undefined;
  /** Receives notices, such as those of lone surrogates. */
  readonly notify?: Notify | undefined;
  /** Opens the files of the run; tests replace it to simulate disk faults. */
  readonly openFile?: OpenFile | undefined;
}

export const parquetOptions: AddressOptions = {
  compression: {
    summary: 'how pages are compressed; `zstd` needs Node 22.15, 23.8 or later',
    type: '`snappy`, `zstd`, `gzip` or `none`',
    default: 'snappy',
  },
  rowGroup: {
    summary: 'the most items of a row group; one with 32 MiB of items ends earlier',
    type: 'number',
    default: '100000',
  },
  nested: {
    summary: 'objects and lists in items: `structs` writes structs and lists, `json` their JSON as text',
    type: '`structs` or `json`',
    default: 'structs',
  },
};

/** Reads the options. Throws ERR_USAGE for another value. */
export function parquetOptionsOf({
  options,
}: SinkAddress): Pick<ParquetOptions, 'compression' | 'rowGroup' | 'nested'> {
  const read = (name: string): string | undefined => {
    const text = options.get(name);
    return text === undefined ? undefined : decodeText(text);
  };
  const [compression, rowGroup, nested] = [read('compression'), read('rowGroup'), read('nested')];
  return {
    compression: compression === undefined ? undefined : oneOf('compression', compression, parquetCompressions),
    rowGroup: rowGroup === undefined ? undefined : Number(/^\d+$/.test(rowGroup) ? rowGroup : Number.NaN),
    nested: nested === undefined ? undefined : oneOf('nested', nested, ['structs', 'json'] as const),
  };
}

/** Throws ERR_USAGE unless it is a whole number from 1. */
export function checkRowGroup(rowGroup: number): void {
  if (Number.isSafeInteger(rowGroup) && rowGroup > 0) return;
  throw usage('rowGroup: expected a number of items, such as 100000');
}

function oneOf<T extends string>(name: string, text: string, values: readonly T[]): T {
  const found = values.find((each) => each === text);
  if (found !== undefined) return found;
  throw usage(`${name}=${text}: expected ${values.join(' or ')}${didYouMean(text, values)}`);
}

const usage = (message: string) => new ExtractError('ERR_USAGE', `parquet: ${message}`);
