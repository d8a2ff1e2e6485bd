/** A page cut at a number of items: what lies behind it is read, and goes nowhere. */

import type { PageWriter } from '../page-writer.js';
import type { Slab } from '../scanner/scanner.js';

export interface Cut {
  /** The transaction, given no more items than there is room for. */
  transaction(page: PageWriter): PageWriter;
  /** What was left out. */
  readonly dropped: { readonly count: number; readonly bytes: number };
}

const nothing = { count: 0, bytes: 0 };

/** Begins a page that may have `room` items; Infinity: all. One attempt at a page, one cut. */
export function createItemLimit(room: number): Cut {
  let left = room;
  let dropped = nothing;

  return {
    transaction: (page) => {
      if (room === Infinity) return page;
      return {
        ...page,
        async write(slab) {
          const kept = firstOf(slab, left);
          left -= kept.count;
          dropped = {
            count: dropped.count + slab.count - kept.count,
            bytes: dropped.bytes + slab.bytes.length - kept.bytes.length,
          };
          if (kept.count > 0) await page.write(kept);
        },
        async rollback() {
          left = room;
          dropped = nothing;
          await page.rollback();
        },
      };
    },
    get dropped() {
      return dropped;
    },
  };
}

/** The slab up to that many items. */
function firstOf(slab: Slab, most: number): Slab {
  if (slab.count <= most) return slab;
  return {
    bytes: slab.bytes.subarray(0, slab.offsets[most]),
    offsets: slab.offsets.subarray(0, most + 1),
    count: most,
  };
}
