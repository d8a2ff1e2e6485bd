/** Small batches that wait to be written together, in order, and the clock of the first of them. */

/** How long a gathered batch waits at most, in ms. */
const longestGathering = 1000;

/** A batch that was taken and is not being written yet. */
export interface Gathered {
  readonly bytes: Uint8Array;
  readonly landed: () => void;
}

/** Starts with none. `onLate` is called when the first of them has waited long enough. */
export function createGathering(onLate: () => void) {
  let batches: Gathered[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    size: () => bytes,
    add(batch: Gathered) {
      if (batches.length === 0) timer = setTimeout(onLate, longestGathering);
      batches.push(batch);
      bytes += batch.bytes.length;
    },
    /** Takes all of them out. */
    take(): readonly Gathered[] {
      const taken = batches;
      clearTimeout(timer);
      batches = [];
      bytes = 0;
      return taken;
    },
    /** Forgets those after so many bytes. */
    keep(most: number) {
      while (bytes > most) bytes -= batches.pop()?.bytes.length ?? bytes;
      if (batches.length === 0) clearTimeout(timer);
    },
  };
}
