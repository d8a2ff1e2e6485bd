/** Compresses a file piece by piece, so that it can be truncated and continued at each flush. */
import * as zlib from 'node:zlib';
import { ExtractError } from '../../src/core/errors/errors.js';

export const compressions = ['gzip', 'zstd'] as const;

export type Compression = (typeof compressions)[number];

/** The content of a file before it is compressed: its length in bytes and its CRC-32. */
export interface Content {
  readonly bytes: number;
  readonly crc: number;
}

/** Compresses the rest of a file. One call at a time. Each call settles with the bytes to append to the file. */
export interface CodecStream {
  feed(bytes: Uint8Array): Promise<Uint8Array>;
  /** After the result, everything fed can be decompressed: a later stream may continue there. */
  flush(): Promise<Uint8Array>;
  /** Ends the file, which then has this content. */
  end(content: Content): Promise<Uint8Array>;
  /** Releases its memory without a result. */
  discard(): void;
}

export interface Codec {
  /** The end of the file name. */
  readonly extension: string;
  /** The size of a file without content, in bytes. */
  readonly emptyBytes: number;
  /** Starts a file, or continues one at a flush. */
  open(isContinued: boolean): CodecStream;
}

/** Writes bytes as they are. */
const plain: Codec = {
  extension: '',
  emptyBytes: 0,
  open: () => ({
    feed: async (bytes) => bytes,
    flush: async () => nothing,
    end: async () => nothing,
    discard: () => {},
  }),
};

/**
 * One member of RFC 1952, whatever is truncated: a block of RFC 1951 refers only to what its own stream has written, so
 * a new stream continues the member of an earlier one.
 */
const gzip: Codec = {
  extension: '.gz',
  emptyBytes: 20,
  open(isContinued) {
    const pump = createPump(zlib.createDeflateRaw({ chunkSize }), zlib.constants.Z_SYNC_FLUSH);
    const header = createPrefix(isContinued ? nothing : gzipHeader);
    return {
      ...header.before(pump),
      end: async (content) => Buffer.concat([header.take(), await pump.end(), gzipTrailer(content)]),
      discard: pump.discard,
    };
  },
};

/**
 * Frames of RFC 8878 without a checksum. One frame, unless the file was truncated: then an empty last block ends the
 * frame that was open there, and a new one follows.
 */
const zstdOf = (create: CreateZstd): Codec => ({
  extension: '.zst',
  emptyBytes: 9,
  open(isContinued) {
    const pump = createPump(create({ chunkSize }), zstdFlush);
    const header = createPrefix(isContinued ? lastBlock : nothing);
    return {
      ...header.before(pump),
      end: async () => Buffer.concat([header.take(), await pump.end()]),
      discard: pump.discard,
    };
  },
});

/** The codec of a compression; undefined: none. Throws ERR_USAGE if this Node has no compressor for it. */
export function codecOf(compression: Compression | undefined): Codec {
  if (compression === undefined) return plain;
  if (compression === 'gzip') return gzip;
  const create: unknown = Reflect.get(zlib, 'createZstdCompress');
  if (typeof create === 'function') return zstdOf(create as CreateZstd); // the types of Node 20 lack it
  const remedy = `Node ${process.versions.node} has no zstd: use compress=gzip, or Node 22.15, 23.8 or later`;
  throw new ExtractError('ERR_USAGE', `cannot compress with zstd: ${remedy}`);
}

type CreateZstd = (options: { readonly chunkSize: number }) => Compressor;

type Compressor = ReturnType<typeof zlib.createDeflateRaw>;

const nothing = new Uint8Array(0);
const chunkSize = 64 * 1024;
/** `ZSTD_e_flush`. */
const zstdFlush = 1;
/** RFC 8878 section 3.1.1.2: last, raw, of no bytes. */
const lastBlock = Uint8Array.of(1, 0, 0);
/** RFC 1952 section 2.3: deflate, no flags, no time, system unknown. */
const gzipHeader = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

function gzipTrailer({ bytes, crc }: Content): Uint8Array {
  const trailer = Buffer.allocUnsafe(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(bytes % 2 ** 32, 4);
  return trailer;
}

/** Puts bytes before the first result of a stream. */
function createPrefix(prefix: Uint8Array) {
  let left = prefix;
  const take = () => {
    const taken = left;
    left = nothing;
    return taken;
  };
  const join = (bytes: Uint8Array) => (left.length === 0 ? bytes : Buffer.concat([take(), bytes]));
  return {
    take,
    before: ({ feed, flush }: Pump) => ({
      feed: async (bytes: Uint8Array) => join(await feed(bytes)),
      flush: async () => join(await flush()),
    }),
  };
}

interface Pump {
  feed(bytes: Uint8Array): Promise<Uint8Array>;
  flush(): Promise<Uint8Array>;
  end(): Promise<Uint8Array>;
  discard(): void;
}

/** Calls a compressor of Node, which works on its thread pool, and collects what it returns. */
function createPump(compressor: Compressor, flushKind: number): Pump {
  let chunks: Buffer[] = [];
  let fail: (thrown: Error) => void = () => {};
  compressor.on('data', (chunk: Buffer) => chunks.push(chunk));
  compressor.on('error', (thrown) => fail(thrown));
  const call = (start: (done: () => void) => void) =>
    new Promise<Uint8Array>((resolve, reject) => {
      fail = reject;
      start(() => {
        compressor.read(); // what is still buffered reaches the listener
        const result = Buffer.concat(chunks);
        chunks = [];
        resolve(result);
      });
    });
  return {
    feed: (bytes) => call((done) => compressor.write(bytes, () => done())),
    flush: () => call((done) => compressor.flush(flushKind, done)),
    end: () => call((done) => compressor.once('end', done).end()),
    discard: () => void compressor.destroy(),
  };
}
