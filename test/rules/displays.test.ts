/**
 * All text for people is measured, cut and padded in one place, by the cells of a terminal:
 * `src/tools/text/cells.ts`.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Source, sources } from './sources.js';

/** What counts characters instead of cells, or cuts by itself. */
const forms: readonly (readonly [what: string, form: RegExp])[] = [
  ['pads by characters: padEnd or padStart of cells.ts', /\.pad(?:End|Start)\((?![^()]*, '0'\))/],
  ['makes blanks: spaces of cells.ts', /(['"`]) +\1\.repeat\(/],
  ['counts code points: widthOf of cells.ts', /\[\.\.\.\w+\]\.length/],
  ['takes the longest by characters: widthOf of cells.ts', /Math\.max\([^;]*?=> *(?!row)\w+\.length\b/],
  ['cuts a text: printable of text.ts, or cutEnd of cells.ts', /\.slice\(0, *[^()]*\)\}?(?:\.\.\.|…)/],
  ['wraps by characters: breakAnywhere of cells.ts', /\.\{1,\$\{/],
  ['measures by itself: widthOf of cells.ts', /from '(?:string-width|get-east-asian-width)'|Intl\.Segmenter/],
];

const found = (all: readonly Source[]): readonly string[] =>
  all.flatMap(({ path, content }) =>
    content.split('\n').flatMap((line, index) => {
      const form = forms.find(([, each]) => each.test(line));
      return form === undefined ? [] : [`${path}:${index + 1} ${form[0]}`];
    }),
  );

test('only cells.ts measures, cuts and pads text for people', () => {
  const files = [...sources('src/cli', /\.ts$/), ...sources('src/tools', /\.ts$/)];
  assert.ok(files.length > 100, `${files.length} files`);
  assert.equal(found(files.filter(({ path }) => path !== 'src/tools/text/cells.ts')), []);
});

test('each form is found', () => {
  const lines = [
    'name.padEnd(8)',
    "name.padStart(width, ' ')",
    "' '.repeat(4)",
    '[...name].length',
    'Math.max(...rows.map(([name]) => name.length))',
    '`$' + '{text.slice(0, 40)}...`',
    'new RegExp(`.{1,$' + '{width}}`)',
    "import stringWidth from 'string-width';",
  ];
  for (const content of lines) assert.is(found([{ path: 'a.ts', content }]).length, 1, content);
  for (const content of ["String(value).padStart(2, '0')", 'Math.max(...rows.map((row) => row.length))'])
    assert.equal(found([{ path: 'a.ts', content }]), []);
});

test.run();
