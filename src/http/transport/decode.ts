/** Decodes compressed bodies while they are pulled, whether we asked for compression or not. */
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, type Zlib } from 'node:zlib';
import { ExtractError } from '../../core/errors/errors.js';
import { createGrowth } from './size-limit.js';
import { decodeZstd, zstdDecoder, zstdVersions } from './zstd.js';

type Bytes = AsyncIterable<Uint8Array>;
/** Reports the number of consumed bytes before each piece that it yields. */
type Decode = (body: Bytes, used: (bytes: number) => void) => Bytes;

/** More codings on one body are an attack, not a service. */
const maxCodings = 3;

/**
 * Undoes `Content-Encoding`, the last coding first. Throws ERR_TRANSPORT (61) for an unknown coding, ERR_BODY_SIZE for
 * a decompression bomb. A broken body raises the zlib error.
 */
export function decodeBody(body: Bytes, contentEncoding: string): Bytes {
  const names = contentEncoding.toLowerCase().split(',');
  const codings = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  if (codings.length > maxCodings) throw refused(`more than ${maxCodings} nested content encodings`);
  const [outermost, ...others] = codings.map(decoderOf).reverse();
  if (outermost === undefined) return body;
  const growth = createGrowth();
  const first = outermost(body, growth.used);
  return growth.watch(others.reduce((bytes, decode) => decode(bytes, () => undefined), first));
}

/** By coding; the first bytes distinguish the two kinds of deflate. */
const decoders: ReadonlyMap<string, Decode> = new Map([
  ['gzip', through(() => createGunzip())],
  ['x-gzip', through(() => createGunzip())],
  ['br', through(() => createBrotliDecompress())],
  ['deflate', through((first) => ((first[0] ?? 0) % 16 === 8 ? createInflate() : createInflateRaw()))],
]);

function decoderOf(coding: string): Decode {
  if (coding === 'zstd') return zstd();
  const decode = decoders.get(coding);
  if (decode === undefined) throw refused('an unknown content encoding');
  return decode;
}

function zstd(): Decode {
  const create = zstdDecoder();
  if (create === undefined) {
    throw refused(`the content encoding zstd, which requires ${zstdVersions}; this is Node ${process.versions.node}`);
  }
  return (body, used) => decodeZstd(counted(body, used), create);
}

const refused = (what: string) => new ExtractError('ERR_TRANSPORT', `the response has ${what}`, { transport: 61 });

function through(createDecoder: (first: Uint8Array) => Transform & Zlib): Decode {
  return async function* decode(body, used) {
    const chunks = body[Symbol.asyncIterator]();
    const first = await chunks.next();
    if (first.done === true) return; // A response without a body may name an encoding too.
    // `pipeline`, unlike `pipe`, ends the decoder with an error when the source breaks; the reader below receives it.
    const decoder = createDecoder(first.value);
    for await (const piece of pipeline(rejoin(first.value, chunks), decoder, () => undefined)) {
      used(decoder.bytesWritten);
      yield piece;
    }
  };
}

/** For decoders that do not report consumption: counts the input, which is an upper bound. */
async function* counted(body: Bytes, used: (bytes: number) => void): Bytes {
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    used(length);
    yield chunk;
  }
}

async function* rejoin(first: Uint8Array, rest: AsyncIterator<Uint8Array>): Bytes {
  try {
    yield first;
    for (let step = await rest.next(); step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}
