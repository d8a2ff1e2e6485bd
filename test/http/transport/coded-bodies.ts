/** The codings of bodies as their tests need them: what encodes, what decodes, and what their formats allow. */
import * as zlib from 'node:zlib';
import type { ExtractError } from '../../../src/core/errors/errors.js';
import { sourceOf } from '../../../src/core/util/byte-source.js';
import { createDecoders, type Decoders } from '../../../src/http/transport/decode.js';
import { bodyError } from '../../../src/http/transport/transport-error.js';
import { streamDecoder } from '../../../src/http/transport/zlib-decoder.js';
import { zstdCoding } from '../../../src/http/transport/zstd.js';

/** One coding. The encoder draws its level from the random numbers. */
export interface CodedBody {
  readonly coding: string;
  readonly what: string;
  encode(body: Uint8Array, draw?: () => number): Buffer;
  /** By `node:zlib`, the whole body at once. */
  decode(body: Uint8Array): Buffer;
  /** Several members after one another are one body; else what follows the first is an error. */
  readonly hasMembers: boolean;
  /** Zeros may follow the end. */
  readonly hasPadding: boolean;
  /** Where the checksum is, from the end; absent: the format has none. */
  readonly checksumAt?: number;
  /** Why this Node lacks it. */
  readonly missing?: string | undefined;
}

export const zstdMissing = zstdCoding() === undefined ? 'this Node has no zstd' : undefined;

const { BROTLI_PARAM_QUALITY } = zlib.constants;
/** ZSTD_c_compressionLevel and ZSTD_c_checksumFlag, which the types of Node 20 lack. */
const zstdParams = { level: 100, checksum: 201 };

/** A function that the types of Node 20 lack. */
const zstdSync = (name: string, body: Uint8Array, options = {}): Buffer => Reflect.get(zlib, name)(body, options);

export const codedBodies: readonly CodedBody[] = [
  {
    coding: 'gzip',
    what: 'gzip',
    encode: (body, draw = () => 6) => zlib.gzipSync(body, { level: draw() % 10 }),
    decode: (body) => zlib.gunzipSync(body),
    hasMembers: true,
    hasPadding: true,
    checksumAt: -8,
  },
  {
    coding: 'deflate',
    what: 'deflate in its zlib form',
    encode: (body, draw = () => 6) => zlib.deflateSync(body, { level: draw() % 10 }),
    decode: (body) => zlib.inflateSync(body),
    hasMembers: false,
    hasPadding: true,
    checksumAt: -1,
  },
  {
    coding: 'deflate',
    what: 'deflate without a header',
    encode: (body, draw = () => 6) => zlib.deflateRawSync(body, { level: draw() % 10 }),
    decode: (body) => zlib.inflateRawSync(body),
    hasMembers: false,
    hasPadding: true,
  },
  {
    coding: 'br',
    what: 'brotli',
    encode: (body, draw = () => 5) => zlib.brotliCompressSync(body, { params: { [BROTLI_PARAM_QUALITY]: draw() % 6 } }),
    decode: (body) => zlib.brotliDecompressSync(body),
    hasMembers: false,
    hasPadding: true,
  },
  {
    coding: 'zstd',
    what: 'zstd',
    encode(body, draw = () => 3) {
      const params = { [zstdParams.level]: 1 + (draw() % 9), [zstdParams.checksum]: 1 };
      return zstdSync('zstdCompressSync', body, { params });
    },
    decode: (body) => zstdSync('zstdDecompressSync', body),
    hasMembers: true,
    hasPadding: false,
    checksumAt: -1,
    missing: zstdMissing,
  },
];

/** The decoders of Node's handle, whose memory is used again through all tests, and those of its streams. */
export const driven = createDecoders();
export const ways: readonly (readonly [name: string, decoders: Decoders, hasZstd: boolean])[] = [
  ['', driven, true],
  [', by a stream', createDecoders(streamDecoder), false],
];

/** What the decoders make of a body in chunks. */
export async function decoded(chunks: readonly Uint8Array[], coding: string, decoders = driven): Promise<Buffer> {
  const found: Uint8Array[] = [];
  await decoders.decode(sourceOf(chunks), coding).read((chunk) => void found.push(chunk));
  return Buffer.concat(found);
}

/** The failure of a body, as its reader meets it. */
export async function failureOf(work: Promise<unknown>): Promise<ExtractError> {
  try {
    await work;
  } catch (thrown) {
    return bodyError(thrown, 'GET x');
  }
  throw new Error('expected a failure');
}
