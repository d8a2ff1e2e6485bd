/**
 * Drops the items that the API repeats at the start of a page, because the request starts at a value of the previous
 * page.
 */
import type { Exact } from '../../core/json/exact.js';
import { itemsBetween } from '../../core/model/batch.js';
import type { Paginator } from '../../pagination/types.js';
import type { PageStage } from '../page-stage.js';
import { createDroppedItems } from './dropped-items.js';

/** Creates the stage; undefined if the paginator expects no repeats. */
export function skipRepeated({ repeated }: Pick<Paginator, 'repeated'>): PageStage | undefined {
  if (repeated === undefined) return undefined;
  let before: Exact | undefined;
  const dropped = createDroppedItems();
  /** Only the first items of a page can be repeats. */
  let isOver = false;
  const reset = () => {
    dropped.reset();
    isOver = false;
  };

  return {
    begin({ memo }) {
      before = memo;
      reset();
    },
    write(slab, next) {
      if (before === undefined || isOver) return next(slab);
      const more = repeated(before, slab, dropped.count());
      isOver = more < slab.count;
      if (more === 0) return next(slab);
      return dropped.pass(slab, itemsBetween(slab, more, slab.count), next);
    },
    rollback: reset,
    report: dropped.report,
  };
}
