/** Checks CONTRIBUTING.md: the code it adds compiles, and passes the tests it shows. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJsonc } from '../../src/config/document.js';
import { isArray, isObject } from '../../src/core/json/exact.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const files = [...page.matchAll(/<!-- (\S+\.ts) -->\n```ts\n([\s\S]*?)```/g)].map(
  ([, path = '', code = '']) => [path, code] as const,
);

/** A directory laid over the repository: files that are not in it come from the repository. */
function laidOver<T>(use: (directory: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), 'rxtract-contributing-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'), 'dir');
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    for (const [path, code] of files) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), code);
    }
    return use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** What a program of ours prints; where it fails, that is the error. */
function run(...words: readonly string[]): string {
  try {
    return execFileSync(process.execPath, words, { encoding: 'utf8', stdio: 'pipe' });
  } catch (thrown) {
    const { stdout, stderr } = thrown as { stdout?: string; stderr?: string }; // what execFileSync throws
    throw new Error(`${stdout ?? ''}${stderr ?? ''}` || String(thrown));
  }
}

test('the files of the page compile among those of the repository', () => {
  assert.is(files.length, 4);
  laidOver((directory) => {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
    const { paths: _, ...options } = { ...compilerOptions, rootDirs: [directory, root] };
    const include = files.map(([path]) => path);
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include }));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    assert.is(run(compiler, '-p', directory, '--pretty', 'false'), '');
  });
});

test('the tests of the page pass', () => {
  laidOver((directory) => {
    for (const [path, code] of files) {
      const isOurs = (file: string) => existsSync(join(directory, file.replace(/\.js$/, '.ts')));
      const found = code.replace(/'(\.[^']+)'/g, (_, specifier: string) => {
        const file = join(dirname(path), specifier);
        return `'${isOurs(file) ? specifier : join(root, file)}'`;
      });
      writeFileSync(join(directory, path), found);
    }
    const tests = files.map(([path]) => path).filter((path) => path.startsWith('test/'));
    const printed = tests.map((path) => run('--import', import.meta.resolve('tsx'), join(directory, path)));
    for (const each of printed) assert.match(each, /Passed: +1/);
  });
});

test('the example of the page is JSON', () => {
  const [config, exchange] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => parseJsonc(text, ''));
  assert.ok(isObject(config) && config.has('api') && config.has('config'));
  assert.ok(isArray(exchange));
});

test('every link leads to a file', () => {
  const targets = [...page.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
  assert.ok(targets.length > 10);
  assert.equal(
    targets.filter((target) => !existsSync(join(root, target))),
    [],
  );
});

test.run();
