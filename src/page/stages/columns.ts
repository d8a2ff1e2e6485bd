/** Adds the columns of a job after the members of each item. */
import type { ExactObject } from '../../core/json/exact.js';
import { appendMembers } from '../append-members.js';
import type { PageStage } from '../page-stage.js';

/** Creates the stage; undefined without columns. Throws the errors of `appendMembers`. */
export function addColumns(columns: ExactObject | undefined): PageStage | undefined {
  if (columns === undefined || columns.size === 0) return undefined;
  let added = 0;
  const reset = () => {
    added = 0;
  };
  return {
    begin: reset,
    write(slab, next) {
      const widened = appendMembers(slab, columns);
      added += widened.bytes.length - slab.bytes.length;
      return next(widened);
    },
    rollback: reset,
    report(result) {
      result.bytes += added;
    },
  };
}
