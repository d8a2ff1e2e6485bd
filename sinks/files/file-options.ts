/** The options of an address of files. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { parseBytes } from '../../src/core/options/units.js';
import { didYouMean } from '../../src/core/util/suggest.js';
import { type AddressOptions, decodeText, type SinkAddress } from '../addresses/address.js';
import { type Compression, compressions } from './codec.js';
import type { NdjsonOptions } from './ndjson.js';

export const fileOptions: AddressOptions = {
  compress: {
    summary: 'compresses each file: `users.ndjson.gz` or `users.ndjson.zst`',
    type: '`gzip` or `zstd`',
    otherwise: 'no compression',
  },
  rotate: {
    summary: 'the size of a numbered part in bytes before compression, such as `100MB` or `64MiB`',
    type: 'size',
    otherwise: 'one file for each data type',
  },
};

/** Reads `compress` and `rotate`. Throws ERR_USAGE for other values, and for the options of standard output. */
export function fileOptionsOf({ options, target }: SinkAddress): Pick<NdjsonOptions, 'compress' | 'rotateBytes'> {
  if (target === '-')
    throw usage('standard output cannot be compressed or rotated: use a directory, or a pipe to gzip');
  const compress = options.get('compress');
  const rotate = options.get('rotate');
  return {
    compress: compress === undefined ? undefined : compressionOf(decodeText(compress)),
    rotateBytes: rotate === undefined ? undefined : sizeOf(decodeText(rotate)),
  };
}

function compressionOf(text: string): Compression {
  const found = compressions.find((each) => each === text);
  if (found !== undefined) return found;
  throw usage(`unknown compression "${text}": expected ${compressions.join(' or ')}${didYouMean(text, compressions)}`);
}

function sizeOf(text: string): number {
  const bytes = parseBytes(text) ?? 0;
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes;
  throw usage(`rotate=${text} is not a size: expected a number of bytes, such as 1000000, 100MB or 64MiB`);
}

const usage = (message: string) => new ExtractError('ERR_USAGE', `ndjson: ${message}`);
