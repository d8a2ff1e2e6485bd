/** A ring of bytes in shared memory: one thread writes a body into it, another reads it. */
import { copyShared } from '../../core/util/copy-shared.js';

/** The size of a ring; a power of two, as its counters wrap at 2^32. */
const ringBytes = 512 * 1024;

/** The most bytes that `next` returns: what the scanner reads at once. */
const partBytes = 64 * 1024;

// The words before the bytes.
const WRITTEN = 0;
const READ = 1;
const PHASE = 2;
const ACCEPTED = 3;
const WANTS_ROOM = 4;
const IS_HELD = 5;
const headBytes = 64;

/** The phases of a body. `cut`: it ended with a fault. `dropped`: its bytes are not wanted any more. */
export const phases = { open: 0, complete: 1, cut: 2, dropped: 3 } as const;
export type BodyPhase = (typeof phases)[keyof typeof phases];

/** The memory of one ring. */
export const createRingMemory = (): SharedArrayBuffer => new SharedArrayBuffer(headBytes + ringBytes);

/** The writing end, in the main thread. */
export interface RingWriter {
  /** Forgets everything; no thread may read then. */
  reset(): void;
  /** Copies as many bytes as there is room for. Returns the rest, empty if all were copied. */
  write(chunk: Uint8Array): Uint8Array;
  /** Asks the reader to report room. Returns false if there is room already. */
  wantRoom(): boolean;
  /** Ends the body. The reader sees all bytes written before. */
  end(phase: BodyPhase): void;
  /** Counts a slab that was accepted. Returns whether the reader waits for it. */
  accept(): boolean;
}

/** The reading end, in the worker. */
export interface RingReader {
  /** Read it before `next`: with a phase other than `open`, no bytes follow those of `next`. */
  phase(): BodyPhase;
  /** The next bytes, at most 64 KiB, as a view; empty if there are none now. */
  next(): Uint8Array;
  /** Frees the first bytes of `next`. Returns whether the writer waits for room, and has enough now. */
  free(length: number): boolean;
  /** The number of accepted slabs. */
  accepted(): number;
  /** Asks the writer to wake the reader at the next accepted slab. Read `accepted` again after it. */
  hold(): void;
}

const openRing = (memory: SharedArrayBuffer) => ({
  words: new Int32Array(memory, 0, headBytes / Int32Array.BYTES_PER_ELEMENT),
  bytes: new Uint8Array(memory, headBytes, ringBytes),
});

/** The number of bytes that are written and not read. */
const usedOf = (words: Int32Array): number => (Atomics.load(words, WRITTEN) - Atomics.load(words, READ)) | 0;

/** A writer waits until half of the ring is free, so that it is not woken for each part. */
const hasRoom = (words: Int32Array): boolean => usedOf(words) <= ringBytes / 2;

export function createRingWriter(memory: SharedArrayBuffer): RingWriter {
  const { words, bytes } = openRing(memory);
  return {
    reset: () => words.fill(0),
    write(chunk) {
      const written = Atomics.load(words, WRITTEN);
      const length = Math.min(chunk.length, ringBytes - usedOf(words));
      const at = written & (ringBytes - 1);
      const first = Math.min(length, ringBytes - at);
      copyShared(bytes, at, chunk.subarray(0, first));
      if (first < length) copyShared(bytes, 0, chunk.subarray(first, length));
      Atomics.store(words, WRITTEN, (written + length) | 0);
      return chunk.subarray(length);
    },
    wantRoom() {
      Atomics.store(words, WANTS_ROOM, 1);
      if (!hasRoom(words)) return true;
      Atomics.store(words, WANTS_ROOM, 0);
      return false;
    },
    end: (phase) => Atomics.store(words, PHASE, phase),
    accept() {
      Atomics.add(words, ACCEPTED, 1);
      return Atomics.exchange(words, IS_HELD, 0) === 1;
    },
  };
}

export function createRingReader(memory: SharedArrayBuffer): RingReader {
  const { words, bytes } = openRing(memory);
  return {
    phase: () => Atomics.load(words, PHASE) as BodyPhase, // only `end` and `reset` write it
    next() {
      const at = Atomics.load(words, READ) & (ringBytes - 1);
      return bytes.subarray(at, Math.min(at + Math.min(usedOf(words), partBytes), ringBytes));
    },
    free(length) {
      Atomics.store(words, READ, (Atomics.load(words, READ) + length) | 0);
      return hasRoom(words) && Atomics.exchange(words, WANTS_ROOM, 0) === 1;
    },
    accepted: () => Atomics.load(words, ACCEPTED),
    hold: () => Atomics.store(words, IS_HELD, 1),
  };
}
