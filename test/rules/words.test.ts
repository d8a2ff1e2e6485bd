/** No page and no message uses an avoided word. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { avoided } from './avoided-words.js';
import { sources } from './sources.js';

const pages = [
  ...sources('docs', /\.md$/),
  ...sources('bench', /\.md$/),
  ...sources('examples', /\.md$/),
  ...sources('.', /^[^/]+\.md$/),
];

test('no page uses an avoided word', () => {
  const found = pages.flatMap(({ path, content }) =>
    content.split('\n').flatMap((line, index) => (avoided.test(prose(line)) ? [`${path}:${index + 1}: ${line}`] : [])),
  );
  assert.ok(pages.length > 20);
  assert.equal(found, []);
});

/** Without anchors and addresses of links, which keep their names. */
const prose = (line: string): string => line.replaceAll(/\]\([^)]*\)/g, ']');

test('no message, help or reference text in the sources uses an avoided word', () => {
  const texts = ['src', 'sinks', 'operators'].flatMap((directory) => sources(directory, /\.ts$/)).flatMap(textsOf);
  assert.ok(texts.length > 1000);
  assert.equal(
    texts.filter((text) => avoided.test(text)),
    [],
  );
});

/** Strings of more than one word, a line at a time; comments, and what a template inserts, are left out. */
function textsOf({ path, content }: { readonly path: string; readonly content: string }): readonly string[] {
  return content
    .split('\n')
    .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
    .map((line) => line.replaceAll(/\$\{[^}]*\}/g, '').replace(/ \/\/ .*/, ''))
    .flatMap((line) => line.match(/'(?:[^'\\]|\\.)*'|"[^"]*"|`[^`]*`?/g) ?? [])
    .filter((text) => /\w.* .*\w/.test(text))
    .map((text) => `${path}: ${text}`);
}

test('an avoided word is found in a page and in a text', () => {
  assert.ok(avoided.test(prose('Whoever reads [it](x.md#told)')));
  assert.not.ok(avoided.test(prose('A reader of [it](x.md#told), recommended')));
  assert.equal(textsOf({ path: 'a.ts', content: "// it's told\nconst [a, told] = ['it is told', ' ', 'told'];" }), [
    "a.ts: 'it is told'",
  ]);
});

test.run();
