/** Columns of a file whose names differ only in case: the file has both, and many readers take them for one. */
import type { Notify } from '../../src/core/model/notice.js';

/** Pairs beyond it are counted. */
const mostShown = 3;

/** Says once which columns of a data type differ only in case; nothing if none do. */
export function noticeOfCase(dataType: string, names: readonly string[], notify: Notify): void {
  const first = new Map<string, string>();
  const pairs: string[] = [];
  for (const name of names) {
    const folded = name.toLowerCase();
    const other = first.get(folded);
    if (other === undefined) first.set(folded, name);
    else pairs.push(`${JSON.stringify(other)} and ${JSON.stringify(name)}`);
  }
  if (pairs.length === 0) return;
  const rest = pairs.length > mostShown ? `, and ${pairs.length - mostShown} more` : '';
  const shown = `${pairs.slice(0, mostShown).join(', ')}${rest}`;
  const message = `"${dataType}": columns differ only in case: ${shown}. DuckDB, Spark and SQL without quotes ignore the case of names: rename or drop one with --select`;
  notify({ level: 'info', code: 'column-case', message });
}
