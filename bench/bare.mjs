// What the bare programs share: the options of the scanner, and a file that takes its slabs.
import { closeSync, openSync, writeSync } from 'node:fs';

/** As the engine sets them: page number pagination captures nothing, but repeats are detected. */
export const scanOptions = {
  dataField: { kind: 'path', segments: ['data'], text: 'data' },
  captures: [],
  batchBytes: 1 << 20,
  maxItemBytes: 64 << 20,
  maxCaptureBytes: 65536,
  fingerprint: true,
};

/** Opens a file for the slabs of scans: one synchronous write a slab. */
export function openSlabs(target) {
  const file = openSync(target, 'w');
  return {
    write(events) {
      for (const { slab } of events) {
        for (let from = 0; slab && from < slab.bytes.length; ) from += writeSync(file, slab.bytes, from);
      }
    },
    close: () => closeSync(file),
  };
}
