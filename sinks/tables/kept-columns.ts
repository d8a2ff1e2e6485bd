/** Columns of which no run knows whether items fill them: the user's own, or those of an earlier version. */
import type { Notify } from '../../src/core/model/notice.js';
import { listed } from './column-case.js';

/** Says that rows keep their values in such columns when items replace them; nothing if there are none. */
export function noticeOfKept(dataType: string, columns: readonly string[], notify: Notify): void {
  if (columns.length === 0) return;
  const shown = listed(columns.map((name) => JSON.stringify(name)));
  const message = `"${dataType}": no run has recorded which columns items fill, so rows that an item replaces keep their values in ${shown}. Once an item has a value for a column, items without one empty it`;
  notify({ level: 'info', code: 'columns-kept', message });
}
