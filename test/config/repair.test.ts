/** `repair` is a key of the methods `offset` and `pagenum`. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validateConfig } from './validate-text.js';

const problemsOf = (pagination: object): readonly string[] => {
  const document = { api: { baseUrl: 'https://api.example/', pagination }, config: { jobs: [{ endpoint: 'a' }] } };
  return validateConfig(JSON.stringify(document), 'config.json').problems.map(
    ({ path, message }) => `${path}: ${message}`,
  );
};

const other =
  'api.pagination.repair: cannot be used with this method: only pages that are counted are requested with an overlap. Expected "offset" or "pagenum"';
const cases: readonly (readonly [pagination: object, ...problems: string[]])[] = [
  [{ method: 'offset', limit: 2, repair: true }],
  [{ method: 'offset', limit: 1, repair: false }],
  [
    { method: 'offset', limit: 1, repair: true },
    'api.pagination: with `repair` pages overlap by an item at least; expected a `limit` of 2 or more',
  ],
  [{ method: 'offset', limit: 2, repair: 'yes' }, 'api.pagination.repair: expected true or false, found a string'],
  [{ method: 'pagenum', limit: 25, repair: true }],
  [
    { method: 'pagenum', limit: 24, repair: true },
    'api.pagination: with `repair` pages overlap, and their sizes vary; expected a `limit` of 25 or more',
  ],
  [{ method: 'response.param', responseParam: 'next', queryParam: 'after', repair: true }, other],
  [{ method: 'link-header', repair: true }, other],
];

for (const [pagination, ...problems] of cases) {
  test(`${JSON.stringify(pagination)} ${problems.length === 0 ? 'is valid' : 'is refused'}`, () => {
    assert.equal(problemsOf(pagination), problems);
  });
}

test.run();
