/**
 * A page without the items that the API repeats at its beginning, because pagination asked for what begins with them.
 */
import type { Exact } from '../core/json/exact.js';
import type { Paginator } from '../pagination/types.js';
import type { PageWriter } from './page-writer.js';
import type { Slab } from './scanner/scanner.js';

export interface Skip {
  /** The transaction, given what is not repeated. */
  transaction(page: PageWriter): PageWriter;
  /** What was left out. */
  readonly dropped: { readonly count: number; readonly bytes: number };
}

const nothing = { count: 0, bytes: 0 };

/** Begins a page with the memo of the one before it. One attempt at a page, one skip. */
export function createSkip(scroller: Pick<Paginator, 'repeated'>, before: Exact | undefined): Skip {
  let dropped = nothing;
  /** Only the first items of a page can be repeated ones. */
  let isOver = false;

  return {
    transaction: (page) => {
      if (scroller.repeated === undefined || before === undefined) return page;
      return {
        ...page,
        async write(slab) {
          const count = isOver ? 0 : (scroller.repeated?.(before, slab, dropped.count) ?? 0);
          isOver = count < slab.count;
          if (count === 0) return page.write(slab);
          const kept = behind(slab, count);
          dropped = {
            count: dropped.count + count,
            bytes: dropped.bytes + slab.bytes.length - kept.bytes.length,
          };
          if (kept.count > 0) await page.write(kept);
        },
        async rollback() {
          dropped = nothing;
          isOver = false;
          await page.rollback();
        },
      };
    },
    get dropped() {
      return dropped;
    },
  };
}

/** The slab from that item on. */
function behind(slab: Slab, first: number): Slab {
  const at = slab.offsets[first] ?? slab.bytes.length;
  return {
    bytes: slab.bytes.subarray(at),
    offsets: slab.offsets.subarray(first).map((offset) => offset - at),
    count: slab.count - first,
  };
}
