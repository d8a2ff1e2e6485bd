/** What `onOutlook` reports after each page: from totals, conditions and limits of the run. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nullSink } from '../../../sinks/null.js';
import type { Outlook } from '../../../src/core/model/outlook.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { configOf, json, onNetwork, pagenum } from '../../support/mock-network.js';

const page = (number: number, content: unknown) => ({ [`GET /a?page=${number}&limit=2`]: json(content) });
const rows = (...ids: readonly number[]) => ids.map((id) => ({ id }));
const plain = { ...page(1, rows(1, 2)), ...page(2, rows(3, 4)), ...page(3, rows(5)) };
const withTotal = (total: unknown) => ({
  ...page(1, { total_count: total, rows: rows(1, 2) }),
  ...page(2, { total_count: total, rows: rows(3, 4) }),
  ...page(3, { total_count: total, rows: rows(5) }),
});

/** `[index, items, items left, pages left]` of each page. */
async function outlooks(
  dispatcher: RunOptions['dispatcher'],
  pagination: object,
  options: RunOptions = {},
  job: object = {},
): Promise<readonly (readonly number[])[]> {
  const found: Outlook[] = [];
  const config = configOf([{ endpoint: 'a', ...job }], pagination);
  const onOutlook = (outlook: Outlook) => void found.push(outlook);
  await run(config, { to: nullSink(), onOutlook, ...(dispatcher && { dispatcher }), ...options });
  return found.map(({ index, items, itemsLeft, pagesLeft }) => [index, items, itemsLeft, pagesLeft]);
}

const paged = (more: object) => ({ pagination: { ...pagenum(2).pagination, ...more } });
const no = Number.POSITIVE_INFINITY;

test(
  'without a total nothing is known',
  onNetwork(plain, async ({ dispatcher }) => {
    assert.equal(await outlooks(dispatcher, pagenum(2)), [
      [0, 2, no, no],
      [1, 4, no, no],
      [2, 5, no, no],
    ]);
  }),
);

test(
  'a total of the API says how many items are left',
  onNetwork(withTotal(5), async ({ dispatcher }) => {
    assert.equal(await outlooks(dispatcher, pagenum(2)), [
      [0, 2, 3, no],
      [1, 4, 1, no],
      [2, 5, 0, no],
    ]);
  }),
);

test(
  'a total below the items so far leaves none',
  onNetwork(withTotal(3), async ({ dispatcher }) => {
    const pagination = paged({ totalKey: 'total_count' });
    assert.equal((await outlooks(dispatcher, pagination, { allow: ['total-mismatch'] })).at(-1), [2, 5, 0, no]);
  }),
);

test(
  'limits of the run count, and the least of all',
  onNetwork(
    { ...page(1, { total_count: 5, rows: rows(1, 2) }), ...page(2, { total_count: 5, rows: rows(3, 4) }) },
    async ({ dispatcher }) => {
      assert.equal(await outlooks(dispatcher, pagenum(2), { maxPages: 2, maxItems: 4 }), [
        [0, 2, 2, 1],
        [1, 4, 0, 0],
      ]);
    },
  ),
);

test(
  'conditions of the configuration count',
  onNetwork({ ...page(1, rows(1, 2)), ...page(2, rows(3, 4)) }, async ({ dispatcher }) => {
    const pagination = paged({ forceStop: { pages: 2 }, limitStop: { count: 100 } });
    assert.equal(await outlooks(dispatcher, pagination), [
      [0, 2, 98, 1],
      [1, 4, 96, 0],
    ]);
  }),
);

test(
  'child jobs have none',
  onNetwork({ ...page(1, rows(1)), 'GET /a/1': json([{ id: 7 }]) }, async ({ dispatcher }) => {
    const children = [
      { endpoint: 'a/{id}', dataType: 'b', placeholders: { id: 'id' }, pagination: { method: 'none' } },
    ];
    assert.equal(await outlooks(dispatcher, pagenum(2), {}, { children }), [[0, 1, no, no]]);
  }),
);

test.run();
