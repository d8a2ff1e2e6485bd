/** Bodies that a server compressed although nobody asked for it, decoded as they are pulled. */
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { ExtractError } from '../errors.js';

type Bytes = AsyncIterable<Uint8Array>;

/** Makes the decoder for a content coding; the first bytes tell the two kinds of deflate apart. */
const decoders: Readonly<Record<string, (first: Uint8Array) => Transform>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
  deflate: (first) => ((first[0] ?? 0) % 16 === 8 ? createInflate() : createInflateRaw()),
};

/** More codings than this on one body are an attack, not a service. */
const maxCodings = 3;

/** Undoes `Content-Encoding`, the last coding first. Throws ERR_TRANSPORT (61) for a coding that is not known. A body that breaks raises what zlib threw. */
export function decodeBody(body: Bytes, contentEncoding: string): Bytes {
  const names = contentEncoding.toLowerCase().split(',');
  const codings = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  const unknown = codings.find((name) => !Object.hasOwn(decoders, name));
  if (unknown !== undefined || codings.length > maxCodings) {
    const message = 'the answer comes in a content encoding that is not understood';
    throw new ExtractError('ERR_TRANSPORT', message, { transport: 61 });
  }
  return codings.reduceRight((bytes, coding) => decode(bytes, coding), body);
}

async function* decode(body: Bytes, coding: string): Bytes {
  const chunks = body[Symbol.asyncIterator]();
  const first = await chunks.next();
  const decoder = first.done === true ? undefined : decoders[coding]?.(first.value);
  if (decoder === undefined) return; // Answers without a body may name an encoding too.
  // `pipeline`, unlike `pipe`, ends the decoder with an error when the source breaks; the reader below meets it.
  yield* pipeline(rejoin(first.value, chunks), decoder, () => undefined);
}

async function* rejoin(first: Uint8Array, rest: AsyncIterator<Uint8Array>): Bytes {
  try {
    yield first;
    for (let step = await rest.next(); step.done !== true; step = await rest.next()) yield step.value;
  } finally {
    await rest.return?.();
  }
}
