/** The compressions of the pages of a Parquet file. */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Compress } from './column.js';

export const parquetCompressions = ['snappy', 'zstd', 'gzip', 'none'] as const;

export type ParquetCompression = (typeof parquetCompressions)[number];

export interface PageCodec {
  /** Its number in the metadata. */
  readonly code: number;
  readonly compress: Compress;
}

type ZlibCall = (bytes: Buffer) => Promise<Buffer>;

/** gzip and zstd run on the thread pool of Node. Throws ERR_USAGE if this Node has no compressor for it. */
export function pageCodecOf(compression: ParquetCompression): PageCodec {
  if (compression === 'none') return { code: 0, compress: (bytes) => bytes };
  if (compression === 'snappy') return { code: 1, compress: snappy() };
  if (compression === 'gzip') return { code: 2, compress: promisify<Buffer, Buffer>(zlib.gzip) };
  const compress: unknown = Reflect.get(zlib, 'zstdCompress');
  if (typeof compress === 'function') return { code: 6, compress: promisify(compress as typeof zlib.gzip) as ZlibCall };
  const remedy = `Node ${process.versions.node} has no zstd: use compression=gzip, or Node 22.15, 23.8 or later`;
  throw new ExtractError('ERR_USAGE', `parquet: cannot compress with zstd: ${remedy}`);
}

/** Compresses with one instance of WebAssembly, loaded by the first page; its memory is that of the largest page. */
function snappy(): Compress {
  let loading: Promise<(bytes: Uint8Array) => Uint8Array> | undefined;
  return async (bytes) => {
    loading ??= import('hysnappy').then(({ snappyCompressor }) => snappyCompressor());
    const compress = await loading;
    const { buffer, byteOffset, length } = compress(bytes);
    return Buffer.from(buffer, byteOffset, length);
  };
}
