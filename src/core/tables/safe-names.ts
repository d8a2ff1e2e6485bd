/** Names of tables and columns as Generic Extractor makes them of paths. docs/15-tables.md#names. */
import { createHash } from 'node:crypto';

/** The longest name, in bytes. */
const longest = 64;

export const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

/** Replaces what a name may not have, and shortens it. A name of which nothing is left is its MD5. */
export function safeName(text: string): string {
  const plain = Buffer.from(text)
    .toString('latin1')
    .replace(/[^A-Za-z0-9-]/g, '_');
  const name = shortened(plain)
    .replace(/[^A-Za-z0-9-]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return name === '' && text !== '' ? md5(plain) : name;
}

/** A name of several words keeps its end after the initials of all, a single word becomes its MD5. */
function shortened(plain: string): string {
  if (plain.length <= longest) return plain;
  const isOneWord = (plain.match(/[A-Za-z][A-Za-z'-]*/g) ?? []).length < 2;
  const prefix = `${isOneWord ? md5(plain) : initials(plain)}_`;
  const from = plain.length - (longest - prefix.length);
  const at = plain.indexOf('_', Math.max(0, from));
  return at === -1 ? prefix : prefix + plain.slice(at);
}

const initials = (plain: string): string =>
  plain
    .split('-')
    .map((run) => run.charAt(0))
    .join('');

/** The name, or the first of NAME_u0, NAME_u1 and so on that is not in use. */
export function freeName(name: string, used: ReadonlySet<string>): string {
  let free = name;
  for (let number = 0; used.has(free); number += 1) free = `${name}_u${number}`;
  return free;
}
