/**
 * Decodes Zstandard bodies frame by frame after RFC 8878: Node's decoder stops after the first frame, and Node 22
 * accepts a truncated frame. Only the headers of a frame define its end.
 */

import { pipeline, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';

type Bytes = AsyncIterable<Uint8Array>;

/** The Node versions with a decoder, in words. */
export const zstdVersions = 'Node 22.15 or 23.8 and later';

/** Returns Node's decoder, or undefined if this Node has none. */
export function zstdDecoder(): (() => Transform) | undefined {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  return typeof create === 'function' ? (create as () => Transform) : undefined; // the types of Node 20 lack it
}

/** Decodes each frame with its own decoder. A truncated or invalid body raises errors with zlib codes. */
export async function* decodeZstd(body: Bytes, createDecoder: () => Transform): Bytes {
  const chunks = body[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);

  async function hasMore(): Promise<boolean> {
    while (rest.length === 0) {
      const step = await chunks.next();
      if (step.done === true) return false;
      rest = step.value;
    }
    return true;
  }
  async function* frame(): Bytes {
    const walk = createWalk();
    while (!walk.isDone()) {
      if (!(await hasMore())) throw failure('unexpected end of file', 'Z_BUF_ERROR');
      const length = walk.pass(rest);
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  }

  try {
    while (await hasMore()) yield* pipeline(frame(), createDecoder(), () => undefined);
  } finally {
    await chunks.return?.();
  }
}

/** Creates an error like those of Node's decoders. */
const failure = (message: string, code: string) => Object.assign(new Error(message), { code });

/** The parser of one frame. */
interface Walk {
  /** Consumes bytes. Returns how many of them belong to the frame. */
  pass(bytes: Uint8Array): number;
  isDone(): boolean;
}

/** A part of a frame: its length, and the function that returns the next part; undefined: the frame has ended. */
interface Part {
  readonly length: number;
  readonly next: (bytes: Uint8Array) => Part | undefined;
}

/** Parts up to this size in bytes are buffered until complete; larger ones are skipped unread. */
const HEADER_BYTES = 4;

function createWalk(): Walk {
  let part: Part | undefined = magic;
  let passed = 0;
  const kept = new Uint8Array(HEADER_BYTES);

  return {
    pass(bytes) {
      let at = 0;
      while (part !== undefined && (at < bytes.length || part.length === passed)) {
        const length = Math.min(part.length - passed, bytes.length - at);
        if (passed < HEADER_BYTES) kept.set(bytes.subarray(at, at + Math.min(length, HEADER_BYTES - passed)), passed);
        at += length;
        passed += length;
        if (passed < part.length) break;
        part = part.next(kept);
        passed = 0;
      }
      return at;
    },
    isDone: () => part === undefined,
  };
}

const littleEndian = (bytes: Uint8Array, length: number): number =>
  bytes.subarray(0, length).reduceRight((number, byte) => number * 256 + byte, 0);

const skipped = (length: number, next: Part['next']): Part => ({ length, next });

const magic: Part = {
  length: 4,
  next: (bytes) => {
    const number = littleEndian(bytes, 4);
    if (number === 0xfd2fb528) return descriptor;
    if (number >= 0x184d2a50 && number <= 0x184d2a5f) return size;
    throw failure('unknown frame descriptor', 'ZSTD_error_prefix_unknown');
  },
};

const size: Part = { length: 4, next: (bytes) => skipped(littleEndian(bytes, 4), () => undefined) };

const descriptor: Part = {
  length: 1,
  next: ([flags = 0]) => {
    const isSingleSegment = (flags & 0x20) !== 0;
    const windowBytes = isSingleSegment ? 0 : 1;
    const dictionaryBytes = [0, 1, 2, 4][flags & 3] ?? 0;
    const contentBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
    const checksumBytes = (flags & 4) === 0 ? 0 : 4;
    return skipped(windowBytes + dictionaryBytes + contentBytes, () => block(checksumBytes));
  },
};

const RUN_LENGTH = 1;

function block(checksumBytes: number): Part {
  return {
    length: 3,
    next: (bytes) => {
      const header = littleEndian(bytes, 3);
      const length = ((header >> 1) & 3) === RUN_LENGTH ? 1 : header >> 3;
      const isLast = (header & 1) !== 0;
      return skipped(length, () => (isLast ? skipped(checksumBytes, () => undefined) : block(checksumBytes)));
    },
  };
}
