/** The columns of a job, put behind the members of each item on its way to the sink. */
import type { ExactObject } from '../../core/json/exact.js';
import { appendMembers } from '../append-members.js';
import type { PageWriter } from '../page-writer.js';

export interface Widening {
  /** The transaction, its items widened. */
  transaction(page: PageWriter): PageWriter;
  /** The bytes that this took, of what was not taken back. */
  readonly added: number;
}

/** One attempt at a page, one of these. Throws as `appendMembers` does. */
export function createColumns(columns: ExactObject): Widening {
  let added = 0;

  return {
    transaction: (page) => {
      if (columns.size === 0) return page;
      return {
        ...page,
        async write(slab) {
          const widened = appendMembers(slab, columns);
          await page.write(widened);
          added += widened.bytes.length - slab.bytes.length;
        },
        async rollback() {
          await page.rollback();
          added = 0;
        },
      };
    },
    get added() {
      return added;
    },
  };
}
