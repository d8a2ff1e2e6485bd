import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { importsOf, root, type Source, targetOf } from '../rules/sources.js';

/**
 * Every package and file that is loaded with this file: static imports alone, as the others wait until they are needed.
 */
function loadedWith(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const file = `${root}/${path.replace(/\.js$/, '.ts')}`;
  if (!existsSync(file)) return seen;
  const source: Source = { path, content: withoutTypesAndLater(readFileSync(file, 'utf8')) };
  for (const specifier of importsOf(source)) loadedWith(targetOf(source, specifier), seen);
  return seen;
}

function withoutTypesAndLater(content: string): string {
  return content.replace(/^(?:import|export) type [^;]*;/gm, '').replace(/\bimport\s*\(/g, 'later(');
}

const packagesWith = (path: string) =>
  [...loadedWith(path)].filter((target) => !/^(node:|src\/|sinks\/|operators\/)/.test(target));

test('imports are followed', () => {
  assert.ok(packagesWith('src/run/extract.ts').includes('rxjs'));
  assert.ok(loadedWith('src/cli/main.ts').has('src/cli/run.js'));
});

test('version and help load no package, the sinks that help lists neither', () => {
  assert.equal(packagesWith('src/cli/main.ts'), []);
  assert.equal(packagesWith('sinks/registry.ts'), []);
});

test('the executable names its interpreter in the first line', () => {
  assert.match(readFileSync(`${root}/src/cli/main.ts`, 'utf8'), /^#!\/usr\/bin\/env node\n/);
});

test.run();
