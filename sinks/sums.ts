/** The CRC-32 of what was written, by data type: by it a later run knows a file again. Nothing is summed before it is asked for. */
import { crc32 } from 'node:zlib';
import type { Batch } from '../src/types.js';

export interface Sums {
  /** From now on bytes are summed. */
  begin(): void;
  add(batch: Batch): void;
  at(dataType: string): number;
  reset(dataType: string, crc: number): void;
}

/** Starts at zero, the sum of nothing. */
export function createSums(): Sums {
  const sums = new Map<string, number>();
  let isSumming = false;
  const at = (dataType: string) => sums.get(dataType) ?? 0;
  return {
    at,
    begin() {
      isSumming = true;
    },
    add({ dataType, bytes }) {
      if (isSumming) sums.set(dataType, crc32(bytes, at(dataType)));
    },
    reset: (dataType, crc) => void sums.set(dataType, crc),
  };
}
