/** Limits the items of a page: it reads and drops the rest. */
import { itemsBetween } from '../../core/model/batch.js';
import type { PageStage } from '../page-stage.js';

/** Creates the stage. Each page has its own limit. */
export function itemLimit(): PageStage {
  let room = Infinity;
  let left = Infinity;
  let count = 0;
  let bytes = 0;
  const reset = () => {
    left = room;
    count = 0;
    bytes = 0;
  };

  return {
    begin(attempt) {
      room = attempt.room;
      reset();
    },
    write(slab, next) {
      const kept = itemsBetween(slab, 0, Math.min(left, slab.count));
      left -= kept.count;
      count += slab.count - kept.count;
      bytes += slab.bytes.length - kept.bytes.length;
      return kept.count > 0 ? next(kept) : undefined;
    },
    rollback: reset,
    report(result) {
      result.count -= count;
      result.bytes -= bytes;
      result.cut = count;
    },
  };
}
