/** Texts of SQL: quoted names and strings. Every name of a user passes here, none is put into a statement as it is. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { hasLoneSurrogate } from '../lone-surrogates.js';

/** The longest name of a table, column or schema, in bytes. PostgreSQL cuts off the rest. */
export const mostNameBytes = 63;

/** A name in quotes. Throws ERR_SINK if PostgreSQL cannot hold it, with what it names. */
export function quoted(name: string, what: string): string {
  const fault = nameFault(name);
  if (fault === undefined) return `"${name.replaceAll('"', '""')}"`;
  throw new ExtractError('ERR_SINK', `postgres: ${JSON.stringify(name)} cannot be the name of a ${what}: ${fault}`);
}

/** Why PostgreSQL cannot hold a name; undefined: it can. */
export function nameFault(name: string): string | undefined {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0) return 'it is empty';
  if (bytes > mostNameBytes) return `it has ${bytes} bytes, and ${mostNameBytes} are allowed`;
  if (name.includes('\0')) return 'it contains U+0000';
  return hasLoneSurrogate(name) ? 'it contains half a surrogate pair' : undefined;
}

/** A string in quotes. */
export function literal(text: string): string {
  const doubled = text.replaceAll("'", "''");
  return text.includes('\\') ? `E'${doubled.replaceAll('\\', '\\\\')}'` : `'${doubled}'`;
}
