/** Keeps of the items of a page what the children of its job read. */
import type { PageStage } from '../page-stage.js';
import { createRows, type RowBuffer, type RowsOptions } from '../row-buffer.js';

/** Each attempt has rows of its own: they outlive it as part of the result. Writing throws as `RowBuffer.add` does. */
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
