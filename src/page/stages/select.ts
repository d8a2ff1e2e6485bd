/** Keeps, renames and drops members of the items, as the select of their data type says. */
import type { Selector } from '../../../sinks/select/selector.js';
import type { PageStage } from '../page-stage.js';

/** Creates the stage; undefined without a select. */
export function selectMembers(selector: Selector | undefined): PageStage | undefined {
  if (selector === undefined) return undefined;
  let added = 0;
  const reset = () => {
    added = 0;
  };
  return {
    begin: reset,
    write(slab, next) {
      const selected = selector.select(slab);
      added += selected.bytes.length - slab.bytes.length;
      return next(selected);
    },
    rollback: reset,
    report(result) {
      result.bytes += added;
    },
  };
}
