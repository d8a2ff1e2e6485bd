/** A page cut at a number of items: those after it are read, and left out. */
import type { PageStage } from '../page-stage.js';
import { firstItems } from '../slab-part.js';

/** Each page has a room of its own. */
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
      const kept = firstItems(slab, left);
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
