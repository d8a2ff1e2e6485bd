/** Limits the items of a page: it reads and drops the rest. */
import { itemsBetween } from '../../core/model/batch.js';
import type { PageStage } from '../page-stage.js';
import { createDroppedItems } from './dropped-items.js';

/** Creates the stage. Each page has its own limit. */
export function itemLimit(): PageStage {
  let room = Infinity;
  let left = Infinity;
  const dropped = createDroppedItems();
  const reset = () => {
    left = room;
    dropped.reset();
  };

  return {
    begin(attempt) {
      room = attempt.room;
      reset();
    },
    write(slab, next) {
      const kept = itemsBetween(slab, 0, Math.min(left, slab.count));
      left -= kept.count;
      return dropped.pass(slab, kept, next);
    },
    rollback: reset,
    report(result) {
      dropped.report(result);
      result.cut = dropped.count();
    },
  };
}
