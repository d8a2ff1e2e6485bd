/** Collects small batches to write them together, in order, with a timer from the first one. */

/** The longest wait of a collected batch, in ms. */
const longestGathering = 1000;

/** An accepted batch that is not being written yet. */
export interface Gathered {
  readonly bytes: Uint8Array;
  readonly landed: () => void;
}

/** Creates an empty collection. Calls `onLate` when the first batch has waited too long. */
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
    /** Removes and returns all batches. */
    take(): readonly Gathered[] {
      const taken = batches;
      clearTimeout(timer);
      batches = [];
      bytes = 0;
      return taken;
    },
    /** Drops batches beyond that many bytes. */
    keep(most: number) {
      for (let last = batches.at(-1); last !== undefined && bytes > most; last = batches.at(-1)) {
        batches.pop();
        bytes -= last.bytes.length;
      }
      if (batches.length === 0) clearTimeout(timer);
    },
  };
}
