import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { importsOf, root, type Source, targetOf } from '../rules/sources.js';

const built = join(root, 'dist/src/cli');

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

test('version and help load what describes flags and a table of wide characters, the sinks that help lists what parses items', () => {
  assert.equal(packagesWith('src/cli/main.ts').sort(), ['get-east-asian-width', 'superstruct']);
  assert.equal(
    packagesWith('sinks/registry.ts').filter((name) => !name.startsWith('stream-json/core/')),
    ['superstruct'],
  );
});

test('a run loads what records and replays only when it does', () => {
  const loaded = loadedWith('src/cli/engine.ts');
  assert.ok(loaded.has('src/cli/open-exchanges.js'));
  assert.not.ok(loaded.has('src/recording/record.js') || loaded.has('src/recording/replay.js'));
});

test('only `init` loads what finds an API, and only `doctor` and `test` what checks one', () => {
  // `preview` looks for lists too.
  const finds = (path: string) =>
    [...loadedWith(path)].filter((each) => /^src\/tools\/init\/(?!like-names|find-lists)/.test(each));
  for (const path of ['src/cli/main.ts', 'src/cli/engine.ts', 'src/cli/checks.ts']) assert.equal(finds(path), [], path);
  assert.ok(finds('src/cli/initialize.ts').length > 30);
  assert.not.ok([...loadedWith('src/cli/initialize.ts')].some((each) => /^src\/tools\/(?:doctor|test)\//.test(each)));
});

/** The files of the bundle that are loaded with this one, without those that wait. */
function bundledWith(name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen;
  seen.add(name);
  const imports = readFileSync(join(built, name), 'utf8').matchAll(/(?:\bfrom|\bimport)"\.\/([\w-]+\.js)"/g);
  for (const [, next = ''] of imports) bundledWith(next, seen);
  return seen;
}

test('version and help load less than a tenth of the built command, in few files', () => {
  const sizeOf = (name: string) => statSync(join(built, name)).size;
  const sum = (names: Iterable<string>) => [...names].reduce((total, name) => total + sizeOf(name), 0);
  const loaded = bundledWith('main.js');
  const all = readdirSync(built).filter((name) => name.endsWith('.js'));
  assert.ok(loaded.size > 1 && loaded.size <= 26, `${loaded.size} files`);
  assert.ok(sum(loaded) < sum(all) / 10, `${sum(loaded)} bytes of ${sum(all)}`);
});

test('the parts that one command needs are files that a run does not load', () => {
  const [engine] = [...readdirSync(built)].filter((name) => /^engine-\w+\.js$/.test(name));
  const texts = [...bundledWith(engine ?? '')].map((name) => readFileSync(join(built, name), 'utf8')).join('');
  assert.match(texts, 'ERR_PAGINATION');
  assert.not.match(texts, 'no known parameter changes the number of items'); // of init
  assert.not.match(texts, 'the clock of this machine is'); // of doctor
});

test('the built command imports no package: its bundle has them', () => {
  const names = readdirSync(built).filter((name) => name.endsWith('.js'));
  const imported = names.flatMap((name) => {
    const found = readFileSync(join(built, name), 'utf8').matchAll(/\b(?:from|import)"(@?[a-z][\w./-]*)"/g);
    return [...found].map(([, specifier]) => `${name.replace(/-\w+\.js$/, '')}: ${specifier}`);
  });
  assert.equal(imported, []);
});

test('the built command does not load HTTP/2, which it never offers', () => {
  const names = readdirSync(built).filter((name) => /^(?!server-process).*\.js$/.test(name));
  const having = names.filter((name) => /node:http2['"]/.test(readFileSync(join(built, name), 'utf8')));
  assert.equal(having, []);
});

test('the executable names its interpreter in the first line', () => {
  assert.match(readFileSync(`${root}/src/cli/main.ts`, 'utf8'), /^#!\/usr\/bin\/env node\n/);
});

test.run();
