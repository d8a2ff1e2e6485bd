/** Counts the items that a stage leaves out of a page. */
import type { Items } from '../../core/model/batch.js';
import type { PageResultDraft } from '../page-result.js';
import type { Write } from '../page-stage.js';
import type { Slab } from '../scanner/scanner.js';

export interface DroppedItems {
  /** Items so far. */
  count(): number;
  /** Passes on what is kept of a slab, if there is any. */
  pass(slab: Items, kept: Slab, next: Write): void | Promise<void>;
  reset(): void;
  /** Subtracts them from the result of the page. */
  report(result: PageResultDraft): void;
}

export function createDroppedItems(): DroppedItems {
  let count = 0;
  let bytes = 0;
  return {
    count: () => count,
    pass(slab, kept, next) {
      count += slab.count - kept.count;
      bytes += slab.bytes.length - kept.bytes.length;
      return kept.count > 0 ? next(kept) : undefined;
    },
    reset() {
      count = 0;
      bytes = 0;
    },
    report(result) {
      result.count -= count;
      result.bytes -= bytes;
    },
  };
}
