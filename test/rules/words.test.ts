/** No page, message, comment, name of a test or identifier uses an avoided word. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { avoided } from './avoided-words.js';
import { type Source, sources } from './sources.js';

const pages = [
  ...sources('docs', /\.md$/),
  ...sources('bench', /\.md$/),
  ...sources('examples', /\.md$/),
  ...sources('.', /^[^/]+\.md$/),
];

const code = ['src', 'sinks', 'operators', 'test', 'bench', 'scripts', 'examples', 'docs']
  .flatMap((directory) => sources(directory, /\.(ts|mjs|js)$/))
  .filter(({ path }) => !path.startsWith('src/generated/') && !path.startsWith('test/rules/'));

/** A test value of XXH64: its digest is known. */
const known = 'Nobody inspects the spammish repetition';

/** Without anchors and addresses of links, which keep their names. */
const prose = (line: string): string => line.replaceAll(/\]\([^)]*\)/g, ']');

/** With the words of identifiers apart: `isTold` is `is Told`. */
const spaced = (line: string): string => line.replace(known, '').replaceAll(/(?=[A-Z][a-z])|_/g, ' ');

const offences = (files: readonly Source[], plain: (line: string) => string): readonly string[] =>
  files.flatMap(({ path, content }) =>
    content.split('\n').flatMap((line, index) => (avoided.test(plain(line)) ? [`${path}:${index + 1}: ${line}`] : [])),
  );

test('no page uses an avoided word', () => {
  assert.ok(pages.length > 20);
  assert.equal(offences(pages, prose), []);
});

test('no text, comment, name of a test or identifier uses an avoided word', () => {
  assert.ok(code.length > 1000);
  assert.equal(offences(code, spaced), []);
});

test('an avoided word is found in a page and in each place of code', () => {
  assert.ok(avoided.test(prose('Whoever reads [it](x.md#told)')));
  assert.not.ok(avoided.test(prose('A reader of [it](x.md#told), recommended')));
  const lines = ['// It is told', 'const isTold = 1;', "test('it is told');", 'ABCTold', 'MOST_TOLD', 'toldAt'];
  assert.equal(offences([{ path: 'a.ts', content: lines.join('\n') }], spaced).length, lines.length);
  assert.equal(offences([{ path: 'a.ts', content: `untold; recommended; '${known}'` }], spaced), []);
});

test.run();
