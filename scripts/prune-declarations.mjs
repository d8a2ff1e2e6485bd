/**
 * Removes built declarations that no entry point of the package leads to: they cannot be imported, and they are half of
 * all.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Imports in any form, as the compiler writes them. A comment that looks like one only keeps a file. */
const relative = /(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g;

const reached = new Set();
const waiting = Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [resolve(root, types)]));
for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
  if (reached.has(path)) continue;
  reached.add(path);
  for (const [, target] of readFileSync(path, 'utf8').matchAll(relative)) {
    waiting.push(resolve(dirname(path), target.replace(/\.js$/, '.d.ts')));
  }
}

for (const name of readdirSync(join(root, 'dist'), { recursive: true })) {
  const path = join(root, 'dist', name);
  if (name.endsWith('.d.ts') && !reached.has(path)) rmSync(path);
}
