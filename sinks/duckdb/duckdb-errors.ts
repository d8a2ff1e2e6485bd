/** What errors of DuckDB mean, in words that show no value of an item. */
import { ExtractError, type Where } from '../../src/core/errors/errors.js';

type Reason = string | ((...found: readonly string[]) => string);

/** Reasons by a part of the message, with what its groups found. */
const reasons: readonly (readonly [message: RegExp, reason: Reason])[] = [
  [/lock is held in (?:.*[\\/])?(.+?) \(PID (\d+)\)/, (name, id) => `${otherProcess} (${name}, PID ${id})${oneWriter}`],
  [/Could not set lock|being used by another process/, () => `${otherProcess}${oneWriter}`],
  [/not a valid DuckDB database/, 'the file is no database of DuckDB'],
  [/version number|newer version of DuckDB|serializ/, 'the database was written by another version of DuckDB'],
  [/No space left|ENOSPC|[Dd]isk.*full/, 'the disk is full'],
  [/Permission denied|Read-only file system|read-only mode/, 'the file or its folder may not be written'],
  [/No such file or directory|path not found/i, 'there is no such folder'],
  [/Is a directory/, 'it is a folder'],
  [
    /NOT NULL constraint failed: (?:.*\.)?(.+)/,
    (column) => `the column "${column}" needs a value, and an item has none`,
  ],
  [/PRIMARY KEY or UNIQUE|[Dd]uplicate key/, 'an item has the key of another row (PRIMARY KEY or UNIQUE)'],
  [/CHECK constraint/, 'an item breaks a CHECK constraint'],
  [/foreign key/i, 'an item breaks a FOREIGN KEY constraint'],
  [/Conversion Error|Could not convert|[Cc]ast/, 'a value does not fit the type of its column'],
  [/Out of Memory/, 'DuckDB needs more memory than the machine has for it'],
  [
    /Dependency Error|Cannot change the type of/,
    'an index or a constraint depends on it, and DuckDB cannot change the type then',
  ],
  [
    /Catalog write-write conflict|has altered this table|Conflict on/,
    'another sink of this run changes the same table',
  ],
];

const otherProcess = 'another process has it open';
const oneWriter = ': DuckDB lets one process write. Close it there';

/** The reason in plain words. */
export function duckdbReason(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  for (const [pattern, reason] of reasons) {
    const found = pattern.exec(message);
    if (found !== null) return typeof reason === 'string' ? reason : reason(...found.slice(1));
  }
  return message.split('\n', 1)[0] ?? message;
}

/** What a statement was about, for its error. */
export interface DuckdbSubject extends Where {
  /** Such as `publish`. */
  readonly action: string;
  readonly table?: string;
}

/** Describes an error with its table. An ExtractError keeps its message. */
export function duckdbError({ action, table, ...where }: DuckdbSubject, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return where.job === undefined ? thrown : thrown.at(where);
  const place = table === undefined ? '' : ` (table "${table}")`;
  return new ExtractError('ERR_SINK', `duckdb: cannot ${action}${place}: ${duckdbReason(thrown)}`, {
    ...where,
    cause: thrown,
  });
}

/** Does work, and describes its error. */
export async function within<T>(subject: DuckdbSubject, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw duckdbError(subject, thrown);
  }
}
