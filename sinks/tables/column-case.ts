/** Members whose names differ only in case: a file has both as columns, and many readers take them for one. */
import type { Notify } from '../../src/core/model/notice.js';

/** What is beyond it is counted. */
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
  const message = `"${dataType}": columns differ only in case: ${listed(pairs)}. DuckDB, Spark and SQL without quotes ignore the case of names: rename or drop one with --select`;
  notify({ level: 'info', code: 'column-case', message });
}

/** Says once which members have a column with a suffix, because the table ignores the case of names. */
export function noticeOfSuffixes(
  dataType: string,
  columns: readonly { readonly member: string; readonly name: string }[],
  notify: Notify,
): void {
  const renamed = columns.filter(({ member, name }) => name.toLowerCase() !== member.toLowerCase());
  if (renamed.length === 0) return;
  const shown = listed(
    renamed.map(({ member, name }) => `${JSON.stringify(member)} is the column ${JSON.stringify(name)}`),
  );
  const message = `"${dataType}": members differ only in case from others: ${shown}. The table ignores the case of names: rename or drop one with --select`;
  notify({ level: 'info', code: 'column-case', message });
}

/** The first texts, and how many follow. */
export const listed = (all: readonly string[]): string =>
  `${all.slice(0, mostShown).join(', ')}${all.length > mostShown ? `, and ${all.length - mostShown} more` : ''}`;
