/** Rules for the whole repository: every test runs, no generated page is stale, no path of a machine. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorCodes } from '../../src/core/errors/error-codes.js';
import { root, type Source, sources } from './sources.js';

const tests = sources('test', /\.test\.ts$/);
const paths = (found: readonly Source[]): readonly string[] => found.map(({ path }) => path);

test('every test file calls test.run()', () => {
  assert.ok(tests.length > 0);
  assert.equal(paths(tests.filter(({ content }) => !/^\w+\.run\(\);$/m.test(content))), []);
});

test('no test is singled out or skipped', () => {
  assert.equal(paths(tests.filter(({ content }) => /\b\w+\.(only|skip)\(/.test(content))), []);
});

test('package-lock.json names no download address', () => {
  const [lock] = sources('.', /^package-lock\.json$/);
  assert.not.match(lock?.content ?? '', /"resolved": "http/);
});

test('no page, example or source names a path of one machine', () => {
  const read = [
    ...sources('.', /^[^/]+\.(md|json)$/),
    ...['docs', 'examples', 'src', 'operators', 'sinks', 'bench'].flatMap((each) =>
      sources(each, /\.(md|json|ts|mjs)$/),
    ),
  ];
  assert.equal(paths(read.filter(({ content }) => /\/work\/|\/tmp\/|\/home\/\w|\/Users\/\w/.test(content))), []);
});

test('every thrown code is in the table, and every code in the table is thrown', () => {
  const thrown = ['src', 'operators', 'sinks']
    .flatMap((directory) => sources(directory, /\.ts$/))
    .filter(({ path }) => !path.startsWith('src/core/errors/error'))
    .flatMap(({ content }) => content.match(/\bERR_[A-Z0-9_]+\b/g) ?? []);
  const table = new Set<string>(Object.keys(errorCodes));
  // Codes of Node and of the platform are compared with, never thrown.
  const foreign = /^ERR_(STREAM|SOCKET|TLS|SSL|INVALID|HTTP2?|UNHANDLED|PARSE|BROTLI|_)/;
  assert.equal(
    [...new Set(thrown)].filter((code) => !table.has(code) && !foreign.test(code)),
    [],
  );
  const used = new Set([...thrown, ...defaultCodes]);
  assert.equal(
    [...table].filter((code) => !used.has(code)),
    [],
  );
});

/** The default of `asExtractError` in src/core/errors/errors.ts. */
const defaultCodes = ['ERR_INTERNAL'];

test('the unreleased notes of CHANGELOG.md have the form of a release', async () => {
  const { notesOf, problemsOf } = await import(pathToFileURL(join(root, 'scripts', 'changelog.mjs')).href);
  const notes = notesOf(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), 'Unreleased');
  assert.type(notes, 'string');
  // There are none after a release.
  if (notes !== '') assert.equal(problemsOf(notes), []);
});

test('.ci/run may be executed', () => {
  accessSync(join(root, '.ci', 'run'), constants.X_OK);
});

test.run();
