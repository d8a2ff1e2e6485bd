/** Items compared with certified pages: each kind of difference has its words. */
import { createHash } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ComparedPage, comparePages } from '../../../src/tools/certificate/compare-pages.js';

/** Lines of page `page` of a walk. */
const lines = (page: number, count: number, walk = '0') =>
  Array.from({ length: count }, (_, index) => `{"walk":"${walk}","page":${page},"row":${index}}\n`);

function pageOf(page: number, count: number, walk = '0'): ComparedPage {
  const text = lines(page, count, walk).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return { walk, page, items: count, bytes: text.length, sha256, label: `page ${page} of ${walk}` };
}

const pages = [pageOf(1, 3), pageOf(2, 3), pageOf(3, 2)];

/** In chunks that end anywhere. */
async function* inChunks(text: string, size = 7) {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size));
}

const compared = (rows: readonly string[], certified = pages) => comparePages(inChunks(rows.join('')), certified);

const [one, two, three] = [lines(1, 3), lines(2, 3), lines(3, 2)];

test('the same items have no difference, whatever the chunks', async () => {
  assert.equal(await compared([...one, ...two, ...three]), []);
  assert.equal(await comparePages(inChunks([...one, ...two, ...three].join(''), 10_000), pages), []);
  assert.equal(await compared([], []), []);
});

test('pages of several walks may alternate', async () => {
  const certified = [pageOf(1, 2, 'a'), pageOf(2, 2, 'a'), pageOf(1, 2, 'b'), pageOf(2, 2, 'b')];
  const rows = [lines(1, 2, 'b'), lines(1, 2, 'a'), lines(2, 2, 'b'), lines(2, 2, 'a')].flat();
  assert.equal(await compared(rows, certified), []);
});

for (const [what, rows, difference] of [
  ['a page is missing', [...one, ...three], ['missing: page 2 of 0 (3 rows), before page 3 of 0']],
  ['two pages are missing', three, ['missing: page 1 of 0 and 1 more (6 rows), before page 3 of 0']],
  ['the last page is missing', [...one, ...two], ['missing: page 3 of 0 (2 rows)']],
  ['all is missing', [], ['missing: page 1 of 0 and 2 more (8 rows)']],
  [
    'rows are cut off',
    [...one, ...two.slice(0, 1)],
    ['cut: page 2 of 0 and 1 more should have 5 rows, and 1 are left'],
  ],
  ['a row is missing', [...one, ...two.slice(1), ...three], ['changed: page 2 of 0 has 1 row fewer']],
  ['a row was added', [...one, 'x\n', ...two, ...three], ['1 row more than certified, before page 2 of 0']],
  ['a row within a page', [...one, two[0], 'x\n', ...two.slice(1), ...three], ['changed: page 2 of 0 has 1 row more']],
  ['rows after the end', [...one, ...two, ...three, 'x\n', 'y'], ['2 rows more than certified, at its end']],
  ['a value has changed', [...one, ...two.with(1, 'x\n'), ...three], ['changed: page 2 of 0']],
  ['the last value has changed', [...one, ...two, ...three.with(1, 'x\n')], ['changed: page 3 of 0']],
  [
    'two pages have changed',
    [...one.with(0, 'x'), ...two.with(0, 'y\n'), ...three],
    ['changed: page 1 of 0 and 1 more has 1 row fewer'],
  ],
  ['all has changed', Array.from({ length: 9 }, () => 'x\n'), ['changed from page 1 of 0 on']],
  [
    'two pages are missing apart',
    [...two],
    ['missing: page 1 of 0 (3 rows), before page 2 of 0', 'missing: page 3 of 0 (2 rows)'],
  ],
] as const) {
  test(`named: ${what}`, async () => {
    assert.equal(await compared(rows.map(String)), difference);
  });
}

test('after many differences the rest is not compared', async () => {
  const certified = Array.from({ length: 200 }, (_, index) => pageOf(index + 1, 1));
  const rows = certified.filter((_, index) => index % 2 === 1).flatMap(({ page }) => lines(page, 1));
  const differences = await compared(rows, certified);
  assert.equal([differences.length, differences.at(-1)], [51, 'and more']);
});

test.run();
