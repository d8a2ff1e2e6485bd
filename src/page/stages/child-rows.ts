/** Stores the fields of a page's items that the children of its job read. */
import type { PageStage } from '../page-stage.js';
import { createRows, type RowBuffer, type RowsOptions } from '../row-buffer.js';

/**
 * Creates the stage. Each attempt has its own rows, which become part of its result. Throws the errors of
 * `RowBuffer.add`.
 */
export function childRows(options: RowsOptions): PageStage {
  let rows: RowBuffer | undefined;
  return {
    begin() {
      rows = createRows(options);
    },
    async write(slab, next) {
      await rows?.add(slab);
      await next(slab);
    },
    rollback: () => rows?.clear(),
    report(result) {
      result.rows = rows;
    },
    discard: () => rows?.clear(),
  };
}
