/** One way to write what is written often. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sources } from './sources.js';

const shipped = ['src', 'operators', 'sinks'].flatMap((directory) => sources(directory, /\.ts$/));
const pages = sources('.', /\.md$/).filter(({ path }) => !/^(docs\/(reference|errors)|examples\/)/.test(path));

/** Lines that the pattern finds, as `path: line`. */
const found = (pattern: RegExp): readonly string[] =>
  shipped.flatMap(({ path, content }) => [...content.matchAll(pattern)].map(([line]) => `${path}: ${line.trim()}`));

test('there are sources and pages to look at', () => {
  assert.ok(shipped.length > 500);
  assert.ok(pages.length > 40);
});

test('no literal is spread into another: that only keeps lines short', () => {
  assert.equal(found(/^.*\.\.\.\{ .*$/gm), []);
});

test('wrong usage has one function, `usageError`', () => {
  assert.equal(found(/^.*= \(message: string\) => new ExtractError\('ERR_USAGE', message\).*$/gm), [
    "src/core/util/check-value.ts: export const usageError = (message: string) => new ExtractError('ERR_USAGE', message);",
  ]);
});

const mostColumns = 160;

/** The lines of a page that are prose: no code, no row of a table, no picture. */
function proseOf(content: string): readonly string[] {
  const withoutCode = content.replace(/^( *)(```|~~~)[\s\S]*?^ *\2.*$/gm, '');
  return withoutCode.split('\n').filter((line) => !/^\s*(\||<|!\[)/.test(line));
}

test(`no line of prose is longer than ${mostColumns} characters`, () => {
  // A long word, such as a link, has no blank to break at.
  const isLong = (line: string) =>
    line.length > mostColumns && line.lastIndexOf(' ', mostColumns) > line.search(/\S/) + 4;
  const long = pages.flatMap(({ path, content }) =>
    proseOf(content)
      .filter(isLong)
      .map((line) => `${path}: ${line}`),
  );
  assert.equal(long, []);
});

test.run();
