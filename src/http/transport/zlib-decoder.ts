/**
 * Decodes one coding of a body, chunk by chunk as chunks arrive: by the handle of Node's zlib, synchronously, or by its
 * stream where this Node has another handle than expected. docs/decisions/044-bodies-are-decoded-where-they-arrive.md.
 */
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { borrowsChunks, type TakeChunk } from '../../core/util/byte-source.js';
import { lend } from '../../core/util/lent-memory.js';

/** The decoder of one body in one coding. After a failure it can only be closed. */
export interface Decoder {
  /** Passes on what a chunk decodes to. Throws the error of zlib for a broken body. */
  write(chunk: Uint8Array, take: TakeChunk): void | Promise<void>;
  /** Passes on the rest after the last chunk. Throws an error with the code `Z_BUF_ERROR` for an incomplete body. */
  end(take: TakeChunk): void | Promise<void>;
  /** How many bytes of the last chunk come after the end of the data, once `write` has settled. */
  unread(): number;
  /** Prepares it for another body. False: it decodes one body only. */
  reset(): boolean;
  close(): void;
}

/** What decodes a coding: a stream of Node's zlib, and the flags with which its handle proceeds and ends. */
export interface Coding {
  create(options?: zlib.ZlibOptions): ZlibStream;
  readonly proceed: number;
  readonly end: number;
  /** Adds to a decoder what its handle lacks; absent: nothing. */
  readonly complete?: (decoder: Decoder) => Decoder;
}

export type ZlibStream = Transform & zlib.Zlib;

const { Z_SYNC_FLUSH, Z_FINISH, Z_DATA_ERROR, BROTLI_OPERATION_PROCESS, BROTLI_OPERATION_FINISH } = zlib.constants;
const zlibFlags = { proceed: Z_SYNC_FLUSH, end: Z_FINISH };

export const gzip: Coding = { create: (options) => zlib.createGunzip(options), ...zlibFlags };
export const deflate: Coding = { create: (options) => zlib.createInflate(options), ...zlibFlags };
export const rawDeflate: Coding = { create: (options) => zlib.createInflateRaw(options), ...zlibFlags };
export const brotli: Coding = {
  create: (options) => zlib.createBrotliDecompress(options),
  proceed: BROTLI_OPERATION_PROCESS,
  end: BROTLI_OPERATION_FINISH,
};

/** Creates the faster decoder that this Node has. */
export function zlibDecoder(coding: Coding): Decoder {
  const decoder = handleDecoder(coding) ?? streamDecoder(coding);
  return coding.complete?.(decoder) ?? decoder;
}

/**
 * The decoder of a body of which nothing but zeros may follow the end. Its `write` throws an error with the code
 * `Z_DATA_ERROR` for other bytes: they would be lost.
 */
export function endingInZeros(decoder: Decoder): Decoder {
  let isOver = false;
  const checkRest = (chunk: Uint8Array) => {
    const rest = decoder.unread();
    isOver = rest > 0;
    if (isOver) mustBePadding(chunk.subarray(chunk.length - rest));
  };
  return {
    write(chunk, take) {
      if (isOver) return mustBePadding(chunk);
      const waiting = decoder.write(chunk, take);
      return waiting === undefined ? checkRest(chunk) : waiting.then(() => checkRest(chunk));
    },
    end: (take) => (isOver ? undefined : decoder.end(take)),
    unread: decoder.unread,
    reset() {
      isOver = false;
      return decoder.reset();
    },
    close: decoder.close,
  };
}

function mustBePadding(rest: Uint8Array): void {
  if (rest.every((byte) => byte === 0)) return;
  throw Object.assign(new Error('data after its end'), { errno: Z_DATA_ERROR, code: 'Z_DATA_ERROR' });
}

/** The internal handle of a zlib stream, used as Node's own streams use it. */
interface Handle {
  /** Decodes until the input is used or the output is full. */
  writeSync(flush: number, input: Uint8Array, at: number, length: number, out: Uint8Array, from: 0, room: number): void;
  reset(): void;
  onerror(message: string, errno: number, code: string): void;
}

/** The handle, and what it leaves after a call: room in the output, and bytes of the input that are not read. */
export function handleOf(stream: ZlibStream): readonly [Handle, Uint32Array] | undefined {
  const [handle, state] = [Reflect.get(stream, '_handle'), Reflect.get(stream, '_writeState')];
  const isHandle = typeof handle?.writeSync === 'function' && typeof handle.reset === 'function';
  return isHandle && state instanceof Uint32Array && state.length === 2 ? [handle, state] : undefined;
}

/** Bytes of the output of one call. */
const outputBytes = 64 * 1024;
const noBytes = new Uint8Array(0);

/** The memory that a handle writes into: lent to readers that give it back, copied for others. */
function createOutput() {
  let memory: Buffer | undefined;
  const bytes = () => {
    memory ??= Buffer.allocUnsafeSlow(outputBytes);
    return memory;
  };
  const passLent = (made: number, take: TakeChunk): void | Promise<void> => {
    const lent = bytes();
    memory = undefined; // until it is given back: else the next piece has memory of its own
    const end = lend(lent, () => {
      memory = lent;
    });
    const waiting = take(lent.subarray(0, made));
    return waiting === undefined ? end() : waiting.then(end);
  };
  return {
    bytes,
    pass: (made: number, take: TakeChunk): void | Promise<void> =>
      borrowsChunks(take) ? passLent(made, take) : take(Buffer.from(bytes().subarray(0, made))),
  };
}

function handleDecoder({ create, proceed, end }: Coding): Decoder | undefined {
  const stream = create({ chunkSize: 64 }); // The size of its own output, which is not used.
  const parts = handleOf(stream);
  if (parts === undefined) return undefined;
  const [handle, left] = parts;
  const output = createOutput();
  let failure: Error | undefined;
  handle.onerror = (message, errno, code) => {
    failure = Object.assign(new Error(message), { errno, code });
  };

  function decode(flag: number, chunk: Uint8Array, start: number, take: TakeChunk): void | Promise<void> {
    for (let at = start; ; ) {
      const length = chunk.length - at;
      handle.writeSync(flag, chunk, at, length, output.bytes(), 0, outputBytes);
      if (failure !== undefined) throw failure;
      const [room = 0, unread = 0] = left;
      const made = outputBytes - room;
      const isDone = room > 0 && (unread === 0 || (unread === length && made === 0));
      at = chunk.length - unread;
      const waiting = made === 0 ? undefined : output.pass(made, take);
      if (waiting !== undefined) return waiting.then(() => (isDone ? undefined : decode(flag, chunk, at, take)));
      if (isDone) return undefined;
    }
  }

  return {
    write: (chunk, take) => decode(proceed, chunk, 0, take),
    end: (take) => decode(end, noBytes, 0, take),
    unread: () => left[1] ?? 0,
    reset() {
      handle.reset();
      return true;
    },
    close: () => void stream.destroy(),
  };
}

/** Creates a decoder from public parts of Node alone. It is slower: each chunk passes a thread of the pool. */
export function streamDecoder({ create }: Coding): Decoder {
  const stream = create();
  const pieces: Uint8Array[] = [];
  let isOver = false;
  let unread = 0;
  let settle = { resolve: () => {}, reject: (_: Error) => {} };
  stream
    .on('data', (piece: Uint8Array) => pieces.push(piece))
    .on('error', (error) => settle.reject(error))
    // Padding ends the stream within a chunk, whose callback is then never called.
    .on('end', () => {
      isOver = true;
      settle.resolve();
    });
  const step = async (begin: () => void, take: TakeChunk) => {
    if (isOver) return;
    await new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
      begin();
    });
    for (const piece of pieces.splice(0)) await take(piece);
  };

  return {
    async write(chunk, take) {
      const before = stream.bytesWritten;
      await step(() => stream.write(chunk, (error) => (error ? settle.reject(error) : settle.resolve())), take);
      unread = chunk.length - (stream.bytesWritten - before);
    },
    end: (take) => step(() => stream.end(), take),
    unread: () => unread,
    reset: () => false,
    close: () => void stream.destroy(),
  };
}
