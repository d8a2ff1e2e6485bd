/** The end of an open file: the length of its valid bytes, and whether more bytes follow them or are unsaved. */
import { writeAll } from '../../src/core/util/file-io.js';
import { createQuickWrites, type QuickFile } from '../../src/core/util/quick-writes.js';

export interface Tail {
  /** Writes after the valid bytes; once it settles, these bytes are valid too. One call at a time. */
  write(bytes: Uint8Array): Promise<void>;
  /** The same at once, for small pieces. False: it wrote nothing; `write` must. Throws if a write fails. */
  writeNow(bytes: Uint8Array): boolean;
  /** Sets the valid length and truncates the file to it; absent: keeps the current length. */
  cut(length?: number): Promise<void>;
  /** Settles when the valid bytes survive a power cut. May run during a write. */
  save(): Promise<void>;
  /** The number of valid bytes. */
  length(): number;
}

/** Creates a tail; the first `start` bytes are valid. */
export function createTail(handle: QuickFile, start: number): Tail {
  let counting = start;
  let isTorn = false;
  let isUnsaved = true;
  const quick = createQuickWrites();
  const wrote = (bytes: Uint8Array) => {
    isTorn = false;
    counting += bytes.length;
    isUnsaved = true;
  };

  return {
    length: () => counting,
    async write(bytes) {
      isTorn = true;
      await writeAll(handle, bytes, counting);
      wrote(bytes);
    },
    writeNow(bytes) {
      const wasTorn = isTorn;
      isTorn = true;
      const isWritten = quick.write(handle, bytes, counting);
      if (isWritten) wrote(bytes);
      else isTorn = wasTorn;
      return isWritten;
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
