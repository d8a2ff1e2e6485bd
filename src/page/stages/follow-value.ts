/**
 * Leaves out items that the run before had, or that are beyond the end of this run, and notes how far the others reach.
 */
import { FollowedWalk, type FollowOptions } from '../followed-walk.js';
import type { PageStage } from '../page-stage.js';

/** Creates the stage of a walk whose items have a value that grows from run to run. */
export const followValue = (options: FollowOptions): PageStage => {
  const walk = new FollowedWalk(options);
  return {
    begin: ({ page, room }) => walk.begin(page, room),
    write(slab, next) {
      const kept = walk.take(slab);
      return kept.count > 0 ? next(kept) : undefined;
    },
    rollback: () => walk.restart(),
    report(result) {
      result.count -= walk.left;
      result.bytes -= walk.leftBytes;
      result.followed = walk.followed();
    },
  };
};
