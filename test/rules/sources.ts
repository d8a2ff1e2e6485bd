/** Reads the files of the repository for the rules that hold over all of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Source {
  /** Relative to the root, with slashes. */
  readonly path: string;
  readonly content: string;
}

const unread = new Set(['node_modules', 'dist', 'out', 'coverage', '.git']);

/** All files below the directory of the repository whose path matches; built and installed ones are left out. */
export function sources(directory: string, pattern: RegExp): readonly Source[] {
  return walk(join(root, directory))
    .map((file) => relative(root, file).split(sep).join('/'))
    .filter((path) => pattern.test(path))
    .sort()
    .map((path) => ({ path, content: readFileSync(join(root, path), 'utf8') }));
}

function walk(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    if (unread.has(entry.name)) return [];
    const path = join(directory, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

const importing = /(?:\bfrom\s+|\bimport\s+|\bimport\s*\(\s*)(['"])([^'"\n]+)\1/g;

/** Every module the source imports or re-exports, statically or not, types included, as written. */
export function importsOf({ content }: Source): readonly string[] {
  return [...content.matchAll(importing)].map(([, , specifier]) => specifier ?? '');
}

/** The path from the root of a relative import; other imports are unchanged. */
export function targetOf({ path }: Source, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  const from = join(root, path, '..');
  return relative(root, join(from, specifier)).split(sep).join('/');
}
