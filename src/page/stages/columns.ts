/** Puts the columns of a job after the members of each item on its way to the sink. */
import type { ExactObject } from '../../core/json/exact.js';
import { appendMembers } from '../append-members.js';
import type { PageStage } from '../page-stage.js';

/** Absent where there are no columns. Writing throws as `appendMembers` does. */
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
