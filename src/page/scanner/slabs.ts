/** The output of an instance: slabs of complete items in their own memory, and the counts of items and bytes. */
import type { ScannerInstance } from './instance.js';
import type { ScanEvent, ScanOptions, Slab } from './scan.js';

export interface Slabs {
  /** Returns a restart if one is due, then a slab if that many bytes of complete items are ready. */
  next(atLeast: number): ScanEvent | undefined;
  /** Discards all items so far. */
  restart(): void;
  /** The number of items so far, emitted or not. */
  count(): number;
  /** The bytes of these items, newlines included. */
  bytes(): number;
  /** Stores the final counts and stops using the instance. */
  leave(): void;
}

const nothing = { slabs: 0, count: 0, bytes: 0 };

export function createSlabs(
  instance: ScannerInstance,
  { fingerprint, allocate = Buffer.allocUnsafeSlow }: Pick<ScanOptions, 'fingerprint' | 'allocate'>,
): Slabs {
  const { calls } = instance;
  /** Since the last restart. */
  let emitted = nothing;
  let mustRestart = false;
  let isLeft = false;

  function take(): Slab {
    if (fingerprint) calls.hashItems();
    const slab = copySlab(instance, allocate);
    calls.dropSlab();
    const { bytes, count } = slab;
    emitted = { slabs: emitted.slabs + 1, count: emitted.count + count, bytes: emitted.bytes + bytes.length };
    return slab;
  }

  const count = () => emitted.count + (isLeft ? 0 : calls.itemCount());
  const bytes = () => emitted.bytes + (isLeft ? 0 : calls.slabLength());

  return {
    next(atLeast) {
      if (mustRestart) {
        mustRestart = false;
        return { restart: true };
      }
      return calls.slabLength() >= atLeast ? { slab: take() } : undefined;
    },
    restart() {
      mustRestart ||= emitted.slabs > 0;
      emitted = nothing;
    },
    count,
    bytes,
    leave() {
      emitted = { ...emitted, count: count(), bytes: bytes() };
      isLeft = true;
    },
  };
}

function copySlab(instance: ScannerInstance, allocate: (bytes: number) => Uint8Array): Slab {
  const { calls } = instance;
  const memory = instance.memory();
  const count = calls.itemCount();
  const from = calls.slabAt();
  const length = calls.slabLength();
  const bytes = allocate(length);
  bytes.set(memory.subarray(from, from + length));
  const offsets = new Uint32Array(count + 1);
  offsets.set(new Uint32Array(memory.buffer, calls.offsetsAt(), count), 1);
  return { bytes, offsets, count };
}
