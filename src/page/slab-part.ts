/** Parts of a slab, for those who let only some of its items pass. */
import type { Slab } from './scanner/scanner.js';

/** The slab up to that many items. */
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
