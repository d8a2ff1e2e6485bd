/** `rxtract catalog search`: a line an entry, found by words of its name, vendor, login, pagination and title. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { catalog } from '../../../src/tools/catalog/entries.js';
import { searchCatalog } from '../../../src/tools/catalog/search-catalog.js';
import { commandHere } from '../../blackbox/command.js';

const search = (...words: readonly string[]) => commandHere(['catalog', 'search', ...words]);
const namesIn = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0]);

test('without a text it lists all, a line each and nothing else', async () => {
  const { exit, stdout, stderr } = await search();
  assert.is(exit, 0);
  assert.is(stderr, '');
  assert.equal(
    namesIn(stdout.trimEnd().split('\n')),
    catalog.map(({ name }) => name),
  );
});

test('a word is found in name, vendor, login, pagination and title, in any case', () => {
  for (const word of ['ATLASSIAN', 'jira', 'work logs']) assert.equal(namesIn(searchCatalog([word])), ['jira']);
  assert.equal(namesIn(searchCatalog(['response.url', 'client_credentials', 'SOQL'])), ['salesforce']);
});

test('all words must be there', () => {
  assert.equal(namesIn(searchCatalog(['api-key', 'orders with'])), ['shopify']);
});

const wrong: readonly (readonly [words: readonly string[], message: string])[] = [
  [
    ['search', 'strip1'],
    'the catalogue has no entry with "strip1"; did you mean "stripe"?; `rxtract catalog search` lists all',
  ],
  [['search', 'stripe', 'soap'], 'the catalogue has no entry with "stripe soap"; `rxtract catalog search` lists all'],
  [[], 'catalog needs an action: search [TEXT]'],
  [['serch'], 'catalog needs an action: search [TEXT]; did you mean "search"?'],
];

for (const [words, message] of wrong) {
  test(`catalog ${words.join(' ')} is an error`, async () => {
    const { exit, stdout, stderr } = await commandHere(['catalog', ...words]);
    assert.is(exit, 1);
    assert.is(stdout, '');
    assert.match(stderr, message);
  });
}

test.run();
