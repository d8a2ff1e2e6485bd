/** The notice of lists that jobs name as tables, and that no item has. */
import type { Notify } from '../../src/core/model/notice.js';
import type { ListForms } from '../../src/core/tables/list-rules.js';
import { listed } from '../tables/column-case.js';

/** Says which they are, if there are any. `paths`: those of the lists that were found. */
export function noticeOfAbsent(
  dataType: string,
  { forms, paths }: { readonly forms: ListForms; readonly paths: ReadonlySet<string> },
  notify: Notify = () => {},
): void {
  const absent = [...forms].filter(([path, form]) => form === 'table' && !paths.has(path));
  if (absent.length === 0) return;
  const shown = listed(absent.map(([path]) => JSON.stringify(path)));
  const message = `"${dataType}": no item has a list at ${shown}, which \`lists\` names. Paths are written as in "lines[].tags"`;
  notify({ level: 'info', code: 'list-not-found', message });
}
