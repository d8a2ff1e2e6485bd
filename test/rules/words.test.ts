/** No page, message, comment, name of a test or identifier uses an avoided word. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { avoided, replacedNames } from './avoided-words.js';
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

/** Names of constants, functions, types, members and parameters that a line declares. */
const declared = (line: string): readonly string[] =>
  [...line.matchAll(/\b(?:const|let|readonly|function|interface|type|class) #?(\w+)|[(,] ?(\w+)\??: [A-Z]/g)].map(
    ([, name, parameter]) => name ?? parameter ?? '',
  );

/** The configuration as users write it. */
const isConfiguration = (path: string): boolean => path === 'src/config/configuration.ts';

test('no declaration in the sources has a name that another word has replaced', () => {
  const found = code
    .filter(({ path }) => /^(src|sinks|operators)\//.test(path) && !isConfiguration(path))
    .flatMap(({ path, content }) =>
      content
        .split('\n')
        .flatMap((line, index) =>
          declared(line).flatMap((name) =>
            replacedNames
              .filter(([pattern]) => !/^\s*(\/\/|\/?\*)/.test(line) && pattern.test(name))
              .map(([, instead]) => `${path}:${index + 1}: ${name}, say ${instead}`),
          ),
        ),
    );
  assert.equal(found, []);
});

test('names of declarations are found', () => {
  assert.equal(declared('  readonly #vault = 1; const said = (needs: Needs) => 1;'), ['vault', 'said', 'needs']);
});

test('an avoided word is found in a page and in each place of code', () => {
  assert.ok(avoided.test(prose('Whoever reads [it](x.md#told)')));
  assert.not.ok(avoided.test(prose('A reader of [it](x.md#told), recommended')));
  const lines = ['// It is told', 'const isTold = 1;', "test('it is told');", 'ABCTold', 'MOST_TOLD', 'toldAt'];
  assert.equal(offences([{ path: 'a.ts', content: lines.join('\n') }], spaced).length, lines.length);
  assert.equal(offences([{ path: 'a.ts', content: `untold; recommended; '${known}'` }], spaced), []);
});

test.run();
