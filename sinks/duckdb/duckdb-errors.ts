/** What errors of DuckDB mean, in words that show no value of an item. */
import { ExtractError, type Where } from '../../src/core/errors/errors.js';

type Reason = string | ((...found: readonly string[]) => string);

const toClose = 'Close the database in the other process, and run again.';
const toWrite = 'Check the rights of the file and of its folder, or choose another file.';
const toUpgrade =
  'Install a version of @duckdb/node-api that reads it, such as the latest, or choose a new file. Or write the file anew: `EXPORT DATABASE` with the DuckDB that wrote it, and `IMPORT DATABASE` with this one.';
const toFit =
  'Change the table or the items, or leave such items out: `--on-item-error skip` or `dead-letter=URI`. With `--state`, `--resume` then continues.';

/** A statement needs more memory than its bound. */
const noMemory = /^Out of Memory|\(Error: failed to allocate data of size/;

/** Whether DuckDB needs more memory than it may take. */
export const isOutOfMemory = (thrown: unknown): boolean => thrown instanceof Error && noMemory.test(thrown.message);

/** A file that another version of DuckDB wrote, in DuckDB's own words. */
const otherVersion = /^(?:\w+ Error: )?(.*(?:version number|newer version of DuckDB|serializ).*?)\.?$/m;

/** Whether a file is of a version that DuckDB cannot read. */
export const isOtherVersion = (thrown: unknown): boolean =>
  thrown instanceof Error && otherVersion.test(thrown.message);

/** Reasons by a part of the message, with what its groups found, and what to do if the general remedy is too little. */
const reasons: readonly (readonly [message: RegExp, reason: Reason, remedy?: string])[] = [
  // First, because a constraint that could not be checked has it in its message.
  [
    noMemory,
    'DuckDB needs more memory than the machine has for it',
    'Choose fewer members with `--select`, or use columns=item.',
  ],
  [
    /lock is held in (?:.*[\\/])?(.+?) \(PID (\d+)\)/,
    (name, id) => `${otherProcess} (${name}, PID ${id})${oneWriter}`,
    toClose,
  ],
  [/Could not set lock|being used by another process/, () => `${otherProcess}${oneWriter}`, toClose],
  [
    /not a valid DuckDB database/,
    'the file is no database of DuckDB',
    'Give the name of a DuckDB database, or of a new file.',
  ],
  [otherVersion, (words) => `the database was written by another version of DuckDB: ${words}`, toUpgrade],
  [
    /No space left|ENOSPC|[Dd]isk.*full/,
    'the disk is full',
    'Free some space on that disk: the rows are there twice until the end of the run.',
  ],
  [
    /File too large/,
    'files of that size are not allowed',
    'Raise the limit (`ulimit -f`), or choose another file system.',
  ],
  [/Permission denied|Read-only file system|read-only mode/, 'the file or its folder may not be written', toWrite],
  [
    /No such file or directory|path not found/i,
    'there is no such folder',
    'Create the folder, or choose another file.',
  ],
  [/Is a directory/, 'it is a folder', 'Give the name of a file in it, as in duckdb:DIR/out.db.'],
  [
    /NOT NULL constraint failed: (?:.*\.)?(.+)/,
    (column) => `the column "${column}" needs a value, and an item has none`,
    toFit,
  ],
  [/PRIMARY KEY or UNIQUE|[Dd]uplicate key/, 'an item has the key of another row (PRIMARY KEY or UNIQUE)', toFit],
  [/CHECK constraint/, 'an item breaks a CHECK constraint', toFit],
  [
    /foreign key/i,
    'an item breaks a FOREIGN KEY constraint',
    'Load the table that it refers to first, or drop the constraint.',
  ],
  [/Conversion Error|Could not convert|[Cc]ast/, 'a value does not fit the type of its column', toFit],
  [
    /Dependency Error|Cannot change the type of/,
    'an index or a constraint depends on it, and DuckDB cannot change the type then',
    'Drop the index or the constraint, or leave the member out with `--select`.',
  ],
  [
    /Catalog write-write conflict|has altered this table|Conflict on/,
    'another sink of this run changes the same table',
    'Give each `--to` a schema or a database of its own.',
  ],
];

const otherProcess = 'another process has it open';
const oneWriter = ': DuckDB lets one process write. Close it there';

/** Errors for which one item is the reason. */
const ofItems = new WeakSet<ExtractError>();

/** Marks the error of an item that the table cannot hold. Returns it. */
export function itemFault(error: ExtractError): ExtractError {
  ofItems.add(error);
  return error;
}

export const isItemFault = (thrown: unknown): thrown is ExtractError =>
  thrown instanceof ExtractError && ofItems.has(thrown);

/** The reason in plain words, and what to do. */
export function duckdbFault(thrown: unknown): { readonly reason: string; readonly remedy?: string } {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  for (const [pattern, reason, remedy] of reasons) {
    const found = pattern.exec(message);
    if (found === null) continue;
    const words = typeof reason === 'string' ? reason : reason(...found.slice(1));
    return remedy === undefined ? { reason: words } : { reason: words, remedy };
  }
  return { reason: message.split('\n', 1)[0] ?? message };
}

/** The reason in plain words. */
export const duckdbReason = (thrown: unknown): string => duckdbFault(thrown).reason;

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
  const { reason, ...rest } = duckdbFault(thrown);
  return new ExtractError('ERR_SINK', `duckdb: cannot ${action}${place}: ${reason}`, {
    ...rest,
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
