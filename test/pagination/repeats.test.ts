/** Pages as words: the last letter is the items, the rest is around them; a dot has no items. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPrints, fingerprint } from '../../src/pagination/prints.js';
import { createRepeats, type ItemsWatch } from '../../src/pagination/repeats.js';

const codeOf = (text: string) => BigInt(`0x${Buffer.from(text).toString('hex')}`);

/** A page without items answers the request that its first letter names. */
const print = (page: string) => {
  const items = page.slice(-1);
  return fingerprint({
    chain: [codeOf(page)],
    items: items === '.' ? undefined : codeOf(items),
    request: () => page.slice(0, 1),
  });
};

/** What is found at which page, from 0. */
function findings(text: string, watch: ItemsWatch = 'all', earlier = '') {
  const words = (list: string) => list.split(' ').filter((word) => word !== '');
  const prints = createPrints();
  for (const page of words(earlier)) prints.add(print(page));
  const repeats = createRepeats(prints, watch);
  return words(text).flatMap((page, index) => {
    const finding = repeats.see(print(page));
    if (finding === undefined) return [];
    if (finding.kind === 'row') return [`${index}: ${finding.times} in a row`];
    return [`${index}: ${finding.kind} from ${finding.round.from}, ${finding.round.period}`];
  });
}

const cases: readonly (readonly [what: string, pages: string, found: readonly string[]])[] = [
  ['pages that differ', '1a 2b 3c', []],
  ['pages in a round', '1a 1b 1a 1b', ['3: pages from 0, 2']],
  ['items in a round, each time with something else around them', '1a 2b 3a 4b', ['3: items from 0, 2']],
  ['items in a round behind others', '1x 2a 3b 4c 5a 6b 7c', ['6: items from 1, 3']],
  ['the items of the page before', '1a 2b 3b 4c', ['2: 1 in a row']],
  ['the same items in a row', '1a 2a 3a 4a', ['1: 1 in a row', '2: 2 in a row', '3: 3 in a row']],
  ['two rows', '1a 2a 3b 4b', ['1: 1 in a row', '3: 1 in a row']],
  ['a row within a round', '1a 2a 3b 4a 5a 6b', ['1: 1 in a row', '4: 1 in a row', '5: items from 0, 3']],
  ['items that come back on their own', '1a 2b 3a 4c 5a', []],
  ['empty answers to one request', 'A1. A2. A3. A4. A5.', []],
  ['empty answers to requests in a round, something else around them', 'A1. B2. A3. B4.', []],
  ['a round that holds an empty answer to the same request', '1a B1. 2a B2.', ['3: items from 0, 2']],
  ['the same with an empty answer to another request', '1a B1. 2a C2.', []],
  ['empty answers in whole rounds of pages', 'A. B. A. B.', ['3: pages from 0, 2']],
];

for (const [what, pages, found] of cases) {
  test(`${what}: ${pages}`, () => assert.equal(findings(pages), found));
}

test('the first finding is the last if no more is wanted', () => {
  assert.equal(findings('1a 2a 3a 4a', 'first'), ['1: 1 in a row']);
  assert.equal(findings('1a 2b 3a 4b 5a 6b', 'first'), ['3: items from 0, 2']);
});

test('rounds of pages are found in every mode', () => {
  assert.equal(findings('1a 2a 3a 1b 1c 1b 1c', 'none'), ['6: pages from 3, 2']);
  assert.equal(findings('1a 2a 3a 1b 1c 1b 1c', 'first'), ['1: 1 in a row', '6: pages from 3, 2']);
});

test('continues after the pages of an earlier run', () => {
  assert.equal(findings('4b', 'all', '1a 2b 3a'), ['0: items from 0, 2']);
  assert.equal(findings('3a', 'all', '1a 2a'), ['0: 2 in a row']);
  assert.equal(findings('3a', 'first', '1a 2a'), []);
});

test('a million pages with a row of ten now and then take little time', () => {
  const prints = createPrints();
  const repeats = createRepeats(prints, 'all');
  for (let index = 0; index < 1_000_000; index++) {
    const items = index % 100 < 9 ? 1n : BigInt(index);
    repeats.see((BigInt(index) << 48n) + items);
  }
  assert.is(prints.length, 1_000_000);
});

test.run();
