/** Texts of SQL: quoted names and strings. Every name of a user passes here, none is put into a statement as it is. */
import { ExtractError } from '../../src/core/errors/errors.js';
import { hasLoneSurrogate } from '../lone-surrogates.js';

/** A name in quotes. Throws ERR_SINK if DuckDB cannot hold it, with what it names. */
export function quoted(name: string, what: string): string {
  const fault = nameFault(name);
  if (fault === undefined) return `"${name.replaceAll('"', '""')}"`;
  throw new ExtractError('ERR_SINK', `duckdb: ${JSON.stringify(name)} cannot be the name of a ${what}: ${fault}`);
}

/** Why DuckDB cannot hold a name; undefined: it can. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'it is empty';
  if (name.includes('\0')) return 'it contains U+0000';
  return hasLoneSurrogate(name) ? 'it contains half a surrogate pair' : undefined;
}

/** A string in quotes. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** DuckDB ignores the case of ASCII letters in names: names with one fold are one name. */
export const folded = (name: string): string => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** A quoted name that none of the columns has. */
export function nameBeside(columns: readonly string[], name: string): string {
  const taken = new Set(columns.map(folded));
  let free = name;
  while ([...taken].some((each) => each.startsWith(free))) free += '_';
  return quoted(free, 'column');
}

/** A path for a function that reads files, in quotes: `*`, `?` and `[` are patterns there. */
export const literalPath = (path: string): string => literal(path.replace(/[*?[]/g, '[$&]'));
