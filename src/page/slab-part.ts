/** Cuts slabs, for stages that pass on only some of the items. */
import type { Slab } from './scanner/scanner.js';

/** The first `most` items of the slab. */
export function firstItems(slab: Slab, most: number): Slab {
  if (slab.count <= most) return slab;
  return {
    bytes: slab.bytes.subarray(0, slab.offsets[most]),
    offsets: slab.offsets.subarray(0, most + 1),
    count: most,
  };
}

/** The slab without its first items. */
export function itemsFrom({ bytes, offsets, count }: Slab, first: number): Slab {
  const start = offsets[first] ?? bytes.length;
  return {
    bytes: bytes.subarray(start),
    offsets: offsets.subarray(first).map((at) => at - start),
    count: count - first,
  };
}
