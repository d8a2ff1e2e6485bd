/** Notices on what stays: columns of which no run knows whether items fill them, and rows that a run may lack. */
import type { Notify } from '../../src/core/model/notice.js';
import { listed } from './column-case.js';

/** Says that rows keep their values in such columns when items replace them; nothing if there are none. */
export function noticeOfKept(dataType: string, columns: readonly string[], notify: Notify): void {
  if (columns.length === 0) return;
  const shown = listed(columns.map((name) => JSON.stringify(name)));
  const message = `"${dataType}": no run has recorded which columns items fill, so rows that an item replaces keep their values in ${shown}. Once an item has a value for a column, items without one empty it`;
  notify({ level: 'info', code: 'columns-kept', message });
}

/** Says that rows that the run does not have stay as they are. */
export function noticeOfIncomplete(dataType: string, notify: Notify): void {
  const message = `"${dataType}": the run has not asked for all items, or some were refused, so rows that it does not have stay as they are`;
  notify({ level: 'info', code: 'rows-kept', message });
}
