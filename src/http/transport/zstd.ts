/**
 * Zstandard after RFC 8878. Node's decoder accepts a body that ends within a frame: only the headers of frames and
 * blocks say where a frame ends.
 */

import * as zlib from 'node:zlib';
import { elementAt } from '../../core/util/element-at.js';
import { type Coding, type Decoder, handleOf, type ZlibStream } from './zlib-decoder.js';

/** The Node versions with a decoder, in words. */
export const zstdVersions = 'Node 22.15 or 23.8 and later';

/** ZSTD_e_continue, which the types of Node 20 lack. */
const proceed = 0;

/** What decodes it, or undefined if this Node does not. Its stream would not do: it ends after the first frame. */
export function zstdCoding(): Coding | undefined {
  const create: unknown = Reflect.get(zlib, 'createZstdDecompress');
  if (typeof create !== 'function') return undefined;
  const stream: ZlibStream = create();
  const isDriven = handleOf(stream) !== undefined;
  stream.destroy();
  if (!isDriven) return undefined;
  return { create: (options) => create(options), proceed, end: proceed, complete: withFrames };
}

/** Follows the frames of a body beside its decoder: a body that ends within one is incomplete. */
export function withFrames(decoder: Decoder): Decoder {
  let frame = createWalk();
  let isWithin = false;
  return {
    write(chunk, take) {
      for (let at = 0; at < chunk.length; ) {
        at += frame.pass(chunk.subarray(at));
        isWithin = !frame.isDone();
        if (!isWithin) frame = createWalk();
      }
      return decoder.write(chunk, take);
    },
    end(take) {
      if (isWithin) throw failure('unexpected end of file', 'Z_BUF_ERROR');
      return decoder.end(take);
    },
    unread: decoder.unread,
    reset() {
      frame = createWalk();
      isWithin = false;
      return decoder.reset();
    },
    close: decoder.close,
  };
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
    const dictionaryBytes = elementAt([0, 1, 2, 4], flags & 3);
    const contentBytes = elementAt([isSingleSegment ? 1 : 0, 2, 4, 8], flags >> 6);
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
