/** Which files of an archive are read: by patterns of their names. */
import { ZipFault } from './zip-fault.js';

/** More bytes than any path of a file has. */
const longestName = 4096;

/** Throws ZipFault for a name that would lead out of the folder of its archive, were it unpacked. */
export function checkName(name: string): void {
  if (name.length > longestName) throw new ZipFault(`has a name of more than ${longestName} characters`);
  const isAbsolute = name.startsWith('/') || /^[A-Za-z]:/.test(name);
  if (isAbsolute || name.split('/').includes('..') || name.includes('\0')) {
    throw new ZipFault('has a name that leads out of its folder');
  }
}

/**
 * Returns a test of names: `*` is any characters within a name, `**` also slashes, `?` one character. A pattern without
 * a slash is compared with the name alone, in any folder.
 */
export function memberTest(patterns: readonly string[]): (name: string) => boolean {
  const tests = patterns.map(expressionOf);
  return (name) => tests.some((test) => test.test(name));
}

function expressionOf(pattern: string): RegExp {
  const source = pattern.replace(
    /\*\*|\*|\?|[^*?]+/g,
    (part) => wild.get(part) ?? part.replace(/[\\^$.|+()[\]{}]/g, '\\$&'),
  );
  return new RegExp(`^${pattern.includes('/') ? '' : '(?:.*/)?'}${source}$`, 's');
}

const wild: ReadonlyMap<string, string> = new Map([
  ['**', '.*'],
  ['*', '[^/]*'],
  ['?', '[^/]'],
]);
