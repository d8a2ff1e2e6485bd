/**
 * Drops the items that the API repeats at the start of a page, because the request starts at a value of the previous
 * page.
 */
import type { Exact } from '../../core/json/exact.js';
import { itemsBetween } from '../../core/model/batch.js';
import type { Paginator } from '../../pagination/types.js';
import type { PageStage } from '../page-stage.js';

/** Creates the stage; undefined if the paginator expects no repeats. */
export function skipRepeated({ repeated }: Pick<Paginator, 'repeated'>): PageStage | undefined {
  if (repeated === undefined) return undefined;
  let before: Exact | undefined;
  let count = 0;
  let bytes = 0;
  /** Only the first items of a page can be repeats. */
  let isOver = false;
  const reset = () => {
    count = 0;
    bytes = 0;
    isOver = false;
  };

  return {
    begin({ memo }) {
      before = memo;
      reset();
    },
    write(slab, next) {
      if (before === undefined || isOver) return next(slab);
      const more = repeated(before, slab, count);
      isOver = more < slab.count;
      if (more === 0) return next(slab);
      const kept = itemsBetween(slab, more, slab.count);
      count += more;
      bytes += slab.bytes.length - kept.bytes.length;
      return kept.count > 0 ? next(kept) : undefined;
    },
    rollback: reset,
    report(result) {
      result.count -= count;
      result.bytes -= bytes;
    },
  };
}
