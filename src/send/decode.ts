/** Bodies that a server compressed, asked to or not, decoded as they are pulled. */
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { ExtractError } from '../errors.js';
import { decodeZstd, zstdDecoder, zstdVersions } from './zstd.js';

type Bytes = AsyncIterable<Uint8Array>;
type Decode = (body: Bytes) => Bytes;

/** More codings than this on one body are an attack, not a service. */
const maxCodings = 3;

/** Undoes `Content-Encoding`, the last coding first. Throws ERR_TRANSPORT (61) for a coding that is not known. A body that breaks raises what zlib threw. */
export function decodeBody(body: Bytes, contentEncoding: string): Bytes {
  const names = contentEncoding.toLowerCase().split(',');
  const codings = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  if (codings.length > maxCodings) throw refused(`more than ${maxCodings} content encodings, one upon the other`);
  return codings.map(decoderOf).reduceRight((bytes, decode) => decode(bytes), body);
}

/** By coding; the first bytes tell the two kinds of deflate apart. */
const decoders: ReadonlyMap<string, Decode> = new Map([
  ['gzip', through(() => createGunzip())],
  ['x-gzip', through(() => createGunzip())],
  ['br', through(() => createBrotliDecompress())],
  ['deflate', through((first) => ((first[0] ?? 0) % 16 === 8 ? createInflate() : createInflateRaw()))],
]);

function decoderOf(coding: string): Decode {
  if (coding === 'zstd') return zstd();
  const decode = decoders.get(coding);
  if (decode === undefined) throw refused('a content encoding that is not understood');
  return decode;
}

function zstd(): Decode {
  const create = zstdDecoder();
  if (create === undefined) {
    throw refused(`the content encoding zstd, which takes ${zstdVersions}; this is Node ${process.versions.node}`);
  }
  return (body) => decodeZstd(body, create);
}

const refused = (what: string) => new ExtractError('ERR_TRANSPORT', `the answer comes in ${what}`, { transport: 61 });

function through(createDecoder: (first: Uint8Array) => Transform): Decode {
  return async function* decode(body) {
    const chunks = body[Symbol.asyncIterator]();
    const first = await chunks.next();
    if (first.done === true) return; // Answers without a body may name an encoding too.
    // `pipeline`, unlike `pipe`, ends the decoder with an error when the source breaks; the reader below meets it.
    yield* pipeline(rejoin(first.value, chunks), createDecoder(first.value), () => undefined);
  };
}

async function* rejoin(first: Uint8Array, rest: AsyncIterator<Uint8Array>): Bytes {
  try {
    yield first;
    for (let step = await rest.next(); step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}
