/**
 * `repair` of a pagination: drops the items of a page that the walk has already. A page that is requested with an
 * overlap joins the one before it if it begins with such an item and has the last one. docs/14-any-response.md#repair.
 */
import { type Items, itemsBetween, joinItems, startOf } from '../../core/model/batch.js';
import { digestOfItem, type OverlapItems, recentIn } from '../../pagination/recent-items.js';
import type { Paginator } from '../../pagination/types.js';
import type { PageStage } from '../page-stage.js';
import { createDroppedItems } from './dropped-items.js';

/** Creates the stage; undefined if pages do not overlap. */
export function closeGap({ repairs }: Pick<Paginator, 'repairs'>): PageStage | undefined {
  if (repairs !== true) return undefined;
  let recent: OverlapItems | undefined;
  const dropped = createDroppedItems();
  let hasItems = false;
  let beginsKnown = false;
  let isJoined = false;
  const reset = () => {
    dropped.reset();
    hasItems = false;
    beginsKnown = false;
    isJoined = false;
  };

  return {
    begin({ memo }) {
      recent = recentIn(memo);
      reset();
    },
    write(slab, next) {
      if (recent === undefined || isJoined) return next(slab);
      const kept: number[] = [];
      let index = 0;
      for (; index < slab.count && !isJoined; index++) {
        const digest = digestOfItem(slab, index);
        const isKnown = recent.known.has(digest);
        if (!hasItems) beginsKnown = isKnown;
        hasItems = true;
        if (!isKnown) kept.push(index);
        isJoined = digest === recent.last;
      }
      const rest = kept.length === 0 ? itemsBetween(slab, index, slab.count) : withItems(slab, kept, index);
      return dropped.pass(slab, rest, next);
    },
    rollback: reset,
    report(result) {
      dropped.report(result);
      result.isApart = hasItems && !(beginsKnown && isJoined);
    },
  };
}

/** Items that were inserted among those of the overlap, and all from index `from` on. */
function withItems(slab: Items, inserted: readonly number[], from: number): Items {
  const all = [...inserted, ...Array.from({ length: slab.count - from }, (_, at) => from + at)];
  return joinItems(all.map((index) => slab.bytes.subarray(startOf(slab, index), startOf(slab, index + 1))));
}
