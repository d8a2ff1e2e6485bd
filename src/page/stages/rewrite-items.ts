/** The base of stages that turn items into others, one for one: the bytes of a page are those that the sink gets. */
import type { Items } from '../../core/model/batch.js';
import type { PageStage } from '../page-stage.js';

/** Creates a stage that passes on what `rewrite` makes of the items; `before` of the page came before them. */
export function rewriteItems(rewrite: (items: Items, before: number) => Items): PageStage {
  let added = 0;
  let before = 0;
  const reset = () => {
    added = 0;
    before = 0;
  };
  return {
    begin: reset,
    write(slab, next) {
      const made = rewrite(slab, before);
      before += slab.count;
      added += made.bytes.length - slab.bytes.length;
      return next(made);
    },
    rollback: reset,
    report(result) {
      result.bytes += added;
    },
  };
}
