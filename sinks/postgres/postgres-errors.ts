/** What errors of a PostgreSQL server mean, in words that show no value of an item. */
import { ExtractError, type Where } from '../../src/core/errors/errors.js';
import { describeSystemError } from '../../src/core/errors/system-error.js';
import { tlsReason } from '../servers/tls.js';

/** An error that the server has sent. */
export interface ServerError extends Error {
  /** SQLSTATE. */
  readonly code: string;
  readonly severity: string;
  readonly schema?: string;
  readonly table?: string;
  readonly column?: string;
  readonly constraint?: string;
  /** The function of the server that found it. */
  readonly routine?: string;
  /** Where it happened, such as `COPY users, line 3, column age: "..."`. */
  readonly where?: string;
}

export const isServerError = (thrown: unknown): thrown is ServerError =>
  thrown instanceof Error && 'severity' in thrown && 'code' in thrown && typeof thrown.code === 'string';

/**
 * Another process has created the same schema, table or column since this one looked for it. The unique index that says
 * so may be one of the server's own tables; or the type of the rows of that table is there already.
 */
export const isCreatedMeanwhile = ({ code, schema, routine }: ServerError): boolean =>
  /^(?:42P06|42P07|42701)$/.test(code) ||
  (code === '23505' && schema === 'pg_catalog') ||
  (code === '42710' && routine === 'TypeCreate');

/** Reasons by the beginning of the SQLSTATE; undefined: the words of the server. */
const reasons: readonly (readonly [state: RegExp, reason: string | undefined])[] = [
  [/^28/, 'the server rejects the user or the password'],
  [/^3D000/, 'there is no such database'],
  [/^42501/, 'the user lacks a right'],
  [/^53100/, 'the disk of the server is full'],
  [/^53200/, 'the server has no memory left'],
  [/^53300/, 'the server has no free connection'],
  [/^57P03/, 'the server is starting or stopping'],
  [/^25006/, 'the server accepts no writes: it is a replica, or read-only'],
  [/^22P05/, 'the value contains U+0000, which this type cannot hold'],
  [/^22P02/, 'the value is not valid for this type'],
  [/^22003/, 'the number is out of range for this type'],
  [/^22021/, 'the text is not valid in the encoding of the database'],
  [/^22001/, 'the text is too long for this type'],
  [/^22/, 'the value does not fit the type'],
  [/^23502/, 'the value is missing, and the column needs one'],
  [/^23505/, 'an item with this value is there already'],
  [/^23/, 'the value breaks a constraint'],
  [/^44000/, 'the value breaks the rule of a view'],
  [/^54011/, 'a table can have 1,600 columns at the most: use columns=item'],
  [/^54/, 'the value is larger than PostgreSQL allows'],
];

/** Faults of an item that this sink finds itself. */
const found = new WeakSet<ExtractError>();

/** The error of an item that the table cannot hold, and no other item is the reason. */
export function itemFault(message: string): ExtractError {
  const error = new ExtractError('ERR_SINK', `postgres: ${message}`, { remedy: itemRemedy });
  found.add(error);
  return error;
}

/** Values that do not fit, constraints, triggers that raise an exception, and limits of a row. */
const itemStates = /^(?:22|23|44000$|54|P0001$)/;

/** Whether the destination refuses an item for its own sake, and not all that follows as well. */
export const isItemFault = (thrown: unknown): boolean =>
  (isServerError(thrown) && itemStates.test(thrown.code) && !isCreatedMeanwhile(thrown)) ||
  (thrown instanceof ExtractError && found.has(thrown));

const itemRemedy =
  'Change the item or the table, or leave such items out: `--on-item-error skip` or `dead-letter=URI` (in code `onItemError`).';

/** Why an item is refused: `cannot be stored (table "public.users", column "age"): the value ... (22P02)`. */
export function refusalOf(table: string, thrown: unknown): string {
  if (thrown instanceof ExtractError) return thrown.message.replace(/^postgres: /, '');
  const places = [`table "${table}"`, ...(isServerError(thrown) ? placeOf(thrown, undefined) : [])];
  return `cannot be stored (${places.join(', ')}): ${postgresReason(thrown)}`;
}

/**
 * Whether a row is too wide for the server. It finds that when it writes the rows that it has gathered: the line that
 * it names is the last one of them, or the one after.
 */
export const isTooWide = (thrown: unknown): boolean => isServerError(thrown) && thrown.code.startsWith('54');

/** The line of a COPY that failed, from 1, if the server names it. */
export function lineOf(thrown: unknown): number | undefined {
  const [, line] = isServerError(thrown) && !isTooWide(thrown) ? (copyContext.exec(thrown.where ?? '') ?? []) : [];
  return line === undefined ? undefined : Number(line);
}

/** The reason in plain words. For the classes 22 and 23 those of the server are left out: they show values of items. */
export function postgresReason(thrown: unknown): string {
  if (!isServerError(thrown)) return describeConnection(thrown);
  const { code, message, constraint } = thrown;
  if (isCreatedMeanwhile(thrown)) return `another process has created it meanwhile (${message}, ${code})`;
  const reason = reasons.find(([state]) => state.test(code))?.[1];
  // Rules of a staging table that have no name of their own.
  const isNamed = constraint !== undefined && !constraint.startsWith('rxtract_');
  const rule = isNamed ? `, "${constraint}"` : '';
  if (reason === undefined) return `${message} (${code})`;
  return /^(?:22|23|54)/.test(code) ? `${reason} (${code}${rule})` : `${reason} (${message}, ${code})`;
}

function describeConnection(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const several = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  return tlsReason(several) ?? describeSystemError(several);
}

/** Whether the server refuses this user or has no such database: another attempt gets the same answer. */
export const isAccessRefused = (thrown: unknown): boolean =>
  thrown instanceof ExtractError
    ? isAccessRefused(thrown.cause)
    : isServerError(thrown) && /^(?:28|3D000$)/.test(thrown.code);

/** What a statement was about, for its error. */
export interface Subject extends Where {
  /** Such as `store a page`. */
  readonly action: string;
  /** As shown: `public.users`. */
  readonly table?: string;
  /** The place of the first copied item in its page, from 0. */
  readonly offset?: number;
  /** The place of the item at fault in its page, from 0, if it was searched. */
  readonly item?: number;
  readonly remedy?: string;
}

/** Describes an error with table, column and the place of the item. An ExtractError keeps its message. */
export function postgresError({ action, table, offset, item, ...where }: Subject, thrown: unknown): ExtractError {
  if (thrown instanceof ExtractError) return where.job === undefined ? thrown : thrown.at(where);
  const places = [
    ...(table === undefined ? [] : [`table "${table}"`]),
    ...(isServerError(thrown) ? placeOf(thrown, offset, item) : []),
  ];
  const place = places.length === 0 ? '' : ` (${places.join(', ')})`;
  return new ExtractError('ERR_SINK', `postgres: cannot ${action}${place}: ${postgresReason(thrown)}`, {
    ...(isItemFault(thrown) ? { remedy: itemRemedy } : {}),
    ...where,
    cause: thrown,
  });
}

const copyContext = /^COPY .*?, line (\d+)(?:, column (.+?))?(?::|$)/m;

/** Column and item, from what the server says of a COPY. */
function placeOf(thrown: ServerError, offset: number | undefined, item?: number): readonly string[] {
  const [, , named] = copyContext.exec(thrown.where ?? '') ?? [];
  const name = thrown.column ?? named;
  const line = lineOf(thrown);
  const place = item ?? (line === undefined || offset === undefined ? undefined : line - 1 + offset);
  return [
    ...(name === undefined ? [] : [`column "${name}"`]),
    ...(place === undefined ? [] : [`item ${place} of the page (from 0)`]),
  ];
}
