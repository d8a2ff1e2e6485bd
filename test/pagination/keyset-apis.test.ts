/** Keyset pagination against servers that keep the rules of CouchDB and of Stripe. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import type { Configuration } from '../../src/config/configuration.js';
import type { Notice } from '../../src/core/model/notice.js';
import { extract, run } from '../../src/run/extract.js';
import { type Answer, type Api, json, rawJson, startApi } from '../loopback/api.js';
import { rejection } from '../sinks/lib.js';
import { unchecked } from '../unchecked.js';

function on(answer: Answer, use: (api: Api) => Promise<void>): () => Promise<void> {
  return async () => {
    const api = await startApi(answer);
    try {
      await use(api);
    } finally {
      await api.close();
    }
  };
}

const targets = ({ requests }: Api): readonly string[] => requests.map(({ target }) => decodeURIComponent(target));

interface Row {
  readonly id: string;
  /** JSON text. */
  readonly key: string;
}

/** A view of CouchDB: rows from `startkey` on, which is JSON, that row included. */
const couch =
  (rows: readonly Row[], order: (key: string) => string | bigint): Answer =>
  ({ target }) => {
    const { searchParams } = new URL(target, 'http://x');
    const start = searchParams.get('startkey');
    if (start !== null) JSON.parse(start);
    const from = start === null ? rows : rows.filter(({ key }) => order(key) >= order(start));
    const page = from.slice(0, Number(searchParams.get('limit') ?? 5));
    const written = page.map(({ id, key }) => `{"id":${JSON.stringify(id)},"key":${key}}`);
    return rawJson(`{"total_rows":${rows.length},"rows":[${written.join(',')}]}`);
  };

const documents = ['a/b', 'c d', 'e"f', 'gé😀', 'h&i=j', 'k+l', 'm%20n'].map((id) => ({ id, key: JSON.stringify(id) }));
const inclusive = { method: 'keyset', field: 'key', param: 'startkey', inclusive: true, encode: 'json' };
const allDocuments = { endpoint: 'db/_all_docs', dataField: 'rows', dataType: 'documents' };

const configOf = (api: Api, pagination: object, ...jobs: readonly object[]): Configuration =>
  unchecked({
    api: { baseUrl: `${api.origin}/`, retryConfig: { maxRetries: 0 }, pagination },
    config: { jobs },
  });

const idsIn = (items: readonly unknown[]): readonly string[] =>
  items.map((item) => (item as { readonly id: string }).id); // as the servers above write them

for (const limit of [2, 3, 4, 7, 8, 0]) {
  test(
    `all documents of CouchDB arrive once, with a limit of ${limit}`,
    on(couch(documents, JSON.parse), async (api) => {
      const to = memory();
      const notices: Notice[] = [];
      const { jobs } = await run(configOf(api, { ...inclusive, limit }, allDocuments), {
        to,
        strict: true,
        notify: (notice) => void notices.push(notice),
      });
      assert.equal(
        idsIn(to.items('documents')),
        documents.map(({ id }) => id),
      );
      assert.is(jobs[0]?.items, documents.length);
      assert.equal(notices, []);
    }),
  );
}

const long = 9007199254740993120n;
const numbered = Array.from({ length: 9 }, (_, index) => ({ id: `r${index}`, key: String(long + BigInt(index >> 1)) }));

test(
  'keys of 19 digits that several rows have lose no row and double none',
  on(couch(numbered, BigInt), async (api) => {
    const to = memory();
    await run(configOf(api, { ...inclusive, limit: 4 }, allDocuments), { to, strict: true });
    assert.equal(
      idsIn(to.items('documents')),
      numbered.map(({ id }) => id),
    );
    assert.equal(targets(api).slice(0, 2), ['/db/_all_docs?limit=4', `/db/_all_docs?limit=4&startkey=${long + 1n}`]);
  }),
);

test(
  'a limit too small for the rows of one key is a loop, and not an end',
  on(couch(numbered, BigInt), async (api) => {
    const pulled = run(configOf(api, { ...inclusive, limit: 2 }, allDocuments), { to: memory() });
    await rejection(pulled, 'ERR_LOOP', /raise `limit`/);
  }),
);

test(
  'the only item arrives once, and its page is not requested a third time',
  on(couch(documents.slice(0, 1), JSON.parse), async (api) => {
    const to = memory();
    const { jobs } = await run(configOf(api, inclusive, allDocuments), { to, strict: true });
    assert.equal(idsIn(to.items('documents')), ['a/b']);
    assert.is(jobs[0]?.stop, 'a page with only repeated items');
    assert.equal(targets(api), ['/db/_all_docs', '/db/_all_docs?startkey="a/b"']);
  }),
);

test(
  'children are requested once for each item, and `maxItems` counts no repeated one',
  on(
    couch(
      numbered.filter((_, index) => index % 2 === 0),
      BigInt,
    ),
    async (api) => {
      const child = { endpoint: 'row/{id}', dataType: 'row', dataField: '.', placeholders: { id: 'id' } };
      const pagination = { method: 'multiple', scrollers: { keys: { ...inclusive, limit: 2 } } };
      const config = configOf(api, pagination, { ...allDocuments, scroller: 'keys', children: [child] });
      const to = memory();
      await run(config, { to, maxItems: 3 });
      assert.equal(idsIn(to.items('documents')), ['r0', 'r2', 'r4']);
      const children = targets(api).filter((target) => target.startsWith('/row/'));
      assert.equal(children, ['/row/r0', '/row/r2', '/row/r4']);
    },
  ),
);

/** A list like Stripe's: newest first, with `starting_after` and `has_more`. */
const stripe =
  (ids: readonly string[]): Answer =>
  ({ target }) => {
    const { searchParams } = new URL(target, 'http://x');
    const after = searchParams.get('starting_after');
    const at = after === null ? 0 : ids.indexOf(after) + 1;
    if (after !== null && at === 0) return json({ error: { message: `No such customer: ${after}` } }, { status: 400 });
    const limit = Number(searchParams.get('limit') ?? 10);
    const data = ids.slice(at, at + limit).map((id) => ({ id, object: 'customer' }));
    return json({ object: 'list', data, has_more: at + limit < ids.length, url: '/v1/customers' });
  };

const customers = ['cus_9', 'cus_7', 'cus_8', 'cus_1', 'cus_3'];
const following = { method: 'keyset', field: 'id', param: 'starting_after', moreField: 'has_more' };
const list = { endpoint: 'v1/customers', dataField: 'data', dataType: 'customers' };

for (const limit of [1, 2, 5, 100]) {
  test(
    `all customers of Stripe arrive once, with a limit of ${limit}, without a needless request`,
    on(stripe(customers), async (api) => {
      const to = memory();
      await run(configOf(api, { ...following, limit }, list), { to, strict: true });
      assert.equal(idsIn(to.items('customers')), customers);
      assert.is(api.requests.length, Math.ceil(customers.length / limit));
    }),
  );
}

test(
  'a parameter that the API does not know is a loop on the second page',
  on(stripe(customers), async (api) => {
    const pagination = { ...following, param: 'since', limit: 2 };
    const error = await rejection(run(configOf(api, pagination, list), { to: memory() }), 'ERR_LOOP');
    assert.match(error.message, /pagination loop: .*does not know the parameter "since"/);
    assert.is(error.where.page, 1);
    assert.is(api.requests.length, 2);
  }),
);

test(
  'an API that unexpectedly repeats the item is a loop on its last page',
  on(couch(documents, JSON.parse), async (api) => {
    const pagination = { ...inclusive, inclusive: false };
    await rejection(run(configOf(api, pagination, allDocuments), { to: memory() }), 'ERR_LOOP', /"inclusive": true/);
  }),
);

test(
  'a missing key fails with the job and the page',
  on(stripe(customers), async (api) => {
    const pulled = run(configOf(api, { ...following, field: 'Id' }, list), { to: memory() });
    const { where } = await rejection(pulled, 'ERR_PAGINATION', /found nothing; did you mean "id"\?/);
    assert.equal([where.job, where.page], ['customers', 0]);
  }),
);

test('a limit of 1 that can only repeat is a fault of the configuration', () => {
  const pagination = { ...inclusive, limit: 1 };
  const config = unchecked({ api: { baseUrl: 'http://x/', pagination }, config: { jobs: [allDocuments] } });
  assert.throws(() => extract(config), /api\.pagination: with `inclusive` a page of one item could only repeat/);
});

test.run();
