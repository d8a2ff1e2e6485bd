/** Holds the generated pages to the tables they are made of. */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { generatedPages } from '../../docs/generate.js';
import { topicNames } from '../../src/config/reference/names.js';
import { topics } from '../../src/config/reference/topics.js';
import { sources } from '../rules/sources.js';

const pages = generatedPages();
const root = new URL('../../', import.meta.url);

for (const [path, content] of pages) {
  test(`${path} is up to date; if not, \`npm run docs\` writes it anew`, () => {
    assert.fixture(readFileSync(new URL(path, root), 'utf8'), content);
  });
}

test('every page among the generated ones is generated', () => {
  const found = sources('docs/reference', /./).map(({ path }) => path);
  assert.equal(
    found.filter((path) => !pages.has(path)),
    [],
  );
});

test('every entry has its own heading on the page of its topic', () => {
  for (const name of topicNames) {
    const page = pages.get(name === 'errors' ? 'docs/errors.md' : `docs/reference/${name}.md`) ?? '';
    const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    assert.equal(
      headings,
      topics[name].entries.map((entry) => entry.name),
    );
  }
});

test('every row of a table has as many cells as its head', () => {
  for (const [path, content] of pages) {
    for (const table of content.match(/(?:^\|.*\n)+/gm) ?? []) {
      const widths = table
        .trimEnd()
        .split('\n')
        .map((line) => line.replaceAll('\\|', '').split('|').length);
      assert.is(new Set(widths).size, 1, `${path}\n${table}`);
    }
  }
});

test.run();
