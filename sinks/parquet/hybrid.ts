/** Levels and places in dictionaries: the hybrid of runs and packed bits of Parquet. */
import type { GrowingBytes } from '../growing-bytes.js';
import { writeVarint } from './thrift.js';

/** The bits that a number up to `most` needs. */
export const bitsFor = (most: number): number => 32 - Math.clz32(most);

/** Appends the first `count` values, each of at most `bits` bits, up to 16. */
export function writeHybrid(values: Uint8Array | Int32Array, count: number, bits: number, out: GrowingBytes): void {
  let packedFrom = 0;
  let at = 0;
  while (at < count) {
    const run = runAt(values, at, count);
    if (run < 8) {
      at = Math.min(at + 8, count);
      continue;
    }
    writePacked(values, packedFrom, at, bits, out);
    writeVarint(run * 2, out);
    const value = values[at] ?? 0;
    out.byte(value & 0xff);
    if (bits > 8) out.byte(value >>> 8);
    at += run;
    packedFrom = at;
  }
  writePacked(values, packedFrom, count, bits, out);
}

/** How often the value at a position is there in a row. */
function runAt(values: Uint8Array | Int32Array, from: number, count: number): number {
  const value = values[from];
  let at = from + 1;
  while (at < count && values[at] === value) at += 1;
  return at - from;
}

/** Groups of eight values; the last one is filled with zeros. */
function writePacked(values: Uint8Array | Int32Array, from: number, to: number, bits: number, out: GrowingBytes): void {
  if (from === to) return;
  const groups = Math.ceil((to - from) / 8);
  writeVarint(groups * 2 + 1, out);
  writeBits(values, from, to, bits, out);
  for (let missing = groups * bits - Math.ceil(((to - from) * bits) / 8); missing > 0; missing--) out.byte(0);
}

/** Values one after the other, the lowest bit first; the last byte is filled with zeros. */
export function writeBits(
  values: Uint8Array | Int32Array,
  from: number,
  to: number,
  bits: number,
  out: GrowingBytes,
): void {
  let pending = 0;
  let pendingBits = 0;
  for (let at = from; at < to; at++) {
    pending |= (values[at] ?? 0) << pendingBits;
    for (pendingBits += bits; pendingBits >= 8; pendingBits -= 8) {
      out.byte(pending & 0xff);
      pending >>>= 8;
    }
  }
  if (pendingBits > 0) out.byte(pending & 0xff);
}
