/** The end of an open file: up to where its bytes count, whether more lie behind, and whether they are safe. */
import type { FileHandle } from 'node:fs/promises';
import { writeAll } from '../src/core/util/file-io.js';

export interface Tail {
  /** Writes behind all that counts; when it settles these bytes count too. One call at a time. */
  write(bytes: Uint8Array): Promise<void>;
  /** From now on the first `length` bytes count, and nothing lies behind them; absent: those that do already. */
  cut(length?: number): Promise<void>;
  /** Settles when what counts survives a power cut. May run beside a write. */
  save(): Promise<void>;
  /** How many bytes count. */
  length(): number;
}

/** All of its first `start` bytes count. */
export function createTail(handle: FileHandle, start: number): Tail {
  let counting = start;
  let isTorn = false;
  let isUnsaved = true;

  return {
    length: () => counting,
    async write(bytes) {
      isTorn = true;
      await writeAll(handle, bytes, counting);
      isTorn = false;
      counting += bytes.length;
      isUnsaved = true;
    },
    async cut(length = counting) {
      if (!isTorn && length === counting) return;
      await handle.truncate(length);
      counting = length;
      isTorn = false;
      isUnsaved = true;
    },
    async save() {
      if (!isUnsaved) return;
      isUnsaved = false;
      try {
        await handle.sync();
      } catch (thrown) {
        isUnsaved = true;
        throw thrown;
      }
    },
  };
}
