/** The base of stages that turn items into others, one for one: the bytes of a page are those that the sink gets. */
import type { Items } from '../../core/model/batch.js';
import type { PageStage } from '../page-stage.js';

/** Creates a stage that passes on what `rewrite` makes of the items. */
export function rewriteItems(rewrite: (items: Items) => Items): PageStage {
  let added = 0;
  const reset = () => {
    added = 0;
  };
  return {
    begin: reset,
    write(slab, next) {
      const made = rewrite(slab);
      added += made.bytes.length - slab.bytes.length;
      return next(made);
    },
    rollback: reset,
    report(result) {
      result.bytes += added;
    },
  };
}
