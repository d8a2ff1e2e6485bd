/** Requests only if a page has changed: validators, walks over pages without a body, and what must not be lost. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { delegate } from '../../sinks/delegate.js';
import { duckdb } from '../../sinks/duckdb/duckdb.js';
import { openDatabase } from '../../sinks/duckdb/duckdb-client.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import { memory } from '../../sinks/index.js';
import { readMemory } from '../../src/checkpoint/edit-memory.js';
import { stateAt } from '../../src/checkpoint/store/state-address.js';
import { createValidatedPages, mostPages } from '../../src/checkpoint/validated-pages.js';
import type { Notice } from '../../src/core/model/notice.js';
import { noMemory } from '../../src/incremental/run-memory.js';
import { recordExchanges } from '../../src/recording/record.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { createRevalidation } from '../../src/run/revalidation.js';
import { failingAfter, type MemoryStore, memoryStore } from '../checkpoint/memory-store.js';
import { headerOf } from '../loopback/api.js';
import { inFolder } from '../sinks/lib.js';
import { failure } from '../support/failure.js';
import { startFakeS3 } from '../support/fake-s3.js';
import { byTag, numbered, type PagesApi, pagesApi, pagesConfiguration, tagOf, whole } from './pages-api.js';

interface Pull {
  readonly items: readonly unknown[];
  readonly asked: ReturnType<PagesApi['take']>;
  readonly notices: readonly Notice[];
  readonly unchanged: number;
}

type Puller = (options?: RunOptions, job?: object, ofApi?: object) => Promise<Pull>;

/** Runs against the API and one state, as often as the test calls `pull`. */
async function onPages(
  pages: PagesApi['pages'],
  use: (api: PagesApi, pull: Puller, store: MemoryStore) => Promise<void>,
): Promise<void> {
  const api = await pagesApi(pages);
  const store = memoryStore();
  const pull: Puller = async (options = {}, job = {}, ofApi = {}) => {
    const sink = memory();
    const notices: Notice[] = [];
    const notify = (each: Notice) => void notices.push(each);
    const summary = await run(pagesConfiguration(api.origin, job, ofApi), { to: sink, store, notify, ...options });
    const unchanged = summary.jobs.reduce((sum, each) => sum + (each.unchanged ?? 0), 0);
    return { items: sink.items(), asked: api.take(), notices, unchanged };
  };
  try {
    await use(api, pull, store);
  } finally {
    await api.close();
  }
}

const row = (id: number, note = '') => ({ id, note });
const targets = ({ asked }: Pull): readonly string[] => asked.map(([target]) => target);
const tags = ({ asked }: Pull): readonly (string | undefined)[] => asked.map(([, tag]) => tag);
const none = (count: number) => Array.from({ length: count }, () => undefined);

test('the next run asks with the tags of the last one, and gets only the page that has changed', () => {
  let lists = [[row(1), row(2)], [row(3), row(4)], [row(5)]];
  return onPages(
    numbered(() => lists),
    async (_, pull) => {
      const first = await pull();
      assert.is(first.items.length, 5);
      assert.equal(tags(first), none(3));
      assert.is(first.unchanged, 0);
      const before = lists.map(tagOf);
      lists = [lists[0] ?? [], [row(3), row(4, 'changed')], lists[2] ?? []];
      const second = await pull();
      assert.equal(second.items, [row(3), row(4, 'changed')]);
      assert.equal(targets(second), targets(first));
      assert.equal(tags(second), before);
      assert.is(second.unchanged, 2);
      const third = await pull();
      assert.equal(third.items, []);
      assert.equal(tags(third), lists.map(tagOf));
      assert.equal(
        third.notices.filter(({ level }) => level === 'warning'),
        [],
      );
    },
  );
});

/** Walks whose next request is in the body, in a header, or in the items. */
const walks: Readonly<Record<string, { readonly api: object; readonly pages: (last: unknown) => PagesApi['pages'] }>> =
  {
    'response.url': {
      api: { pagination: { method: 'response.url', urlKey: 'next' } },
      pages: (last) => (target) =>
        target === '/rows'
          ? { body: { data: [row(1)], next: '/rows?at=2' } }
          : { body: target.endsWith('=2') ? { data: [row(2)], next: '/rows?at=3' } : { data: [last] } },
    },
    'response.param': {
      api: { pagination: { method: 'response.param', responseParam: 'cursor', queryParam: 'at' } },
      pages: (last) => (target) =>
        target === '/rows'
          ? { body: { data: [row(1)], cursor: 12345678901234567890n.toString() } }
          : { body: target.endsWith('0') ? { data: [row(2)], cursor: 'x' } : { data: [last] } },
    },
    'link-header': {
      api: { pagination: { method: 'link-header' } },
      pages: (last) => (target) =>
        target === '/rows' ? { body: [row(1)], headers: { link: '</rows?at=2>; rel="next"' } } : { body: [last] },
    },
    cursor: {
      api: { pagination: { method: 'cursor', idKey: 'id', param: 'above' } },
      pages: (last) => (target) => ({
        body: target === '/rows' ? [row(1), row(2)] : target.endsWith('=2') ? [row(7), last] : [],
      }),
    },
    keyset: {
      api: { pagination: { method: 'keyset', field: 'id', param: 'after', limit: 2 } },
      pages: (last) => (target) => ({ body: target.includes('after=2') ? [last] : [row(1), row(2)] }),
    },
    offset: {
      api: { pagination: { method: 'offset', limit: 2 } },
      pages: (last) => (target) => ({ body: target.includes('offset=2') ? [last] : [row(1), row(2)] }),
    },
    'a total that ends the walk': {
      api: { pagination: { method: 'pagenum', limitStop: { field: 'total' } } },
      pages: (last) => (target) => ({
        body: { data: target.includes('page=2') ? [last] : [row(1), row(2)], total: 3 },
      }),
    },
  };

for (const [name, { api: ofApi, pages }] of Object.entries(walks)) {
  test(`${name}: pages without a body lead on as they did, to the last page`, () =>
    onPages(pages(row(9)), async (api, pull) => {
      const first = await pull({}, {}, ofApi);
      const second = await pull({}, {}, ofApi);
      assert.equal(targets(second), targets(first));
      assert.equal(second.items, []);
      assert.is(second.unchanged, first.asked.length);
      api.pages = pages(row(9, 'changed'));
      const third = await pull({}, {}, ofApi);
      assert.equal(targets(third), targets(first));
      assert.ok(third.items.some((each) => JSON.stringify(each) === JSON.stringify(row(9, 'changed'))));
      assert.equal(
        third.notices.filter(({ level }) => level === 'warning'),
        [],
      );
    }));
}

test('pages requested ahead are asked for with their tags too', () =>
  onPages(
    numbered(() => [[row(1), row(2)], [row(3), row(4)], [row(5), row(6)], [row(7)]]),
    async (_, pull) => {
      await pull({ prefetch: 3 });
      const second = await pull({ prefetch: 3 });
      assert.is(second.unchanged, 4);
      assert.is(tags(second).filter((tag) => tag !== undefined).length, 4);
    },
  ));

const dates: readonly (readonly [why: string, date: string, asks: boolean])[] = [
  ['a second before the date of the response', 'Fri, 02 Jan 2026 10:00:01 GMT', true],
  ['the very second of the response: it may change again within it', 'Fri, 02 Jan 2026 10:00:00 GMT', false],
  ['a date that cannot be read', 'yesterday', false],
];

for (const [why, date, asks] of dates) {
  test(`a Last-Modified is ${asks ? '' : 'not '}sent back: ${why}`, () =>
    onPages(
      numbered(() => [[row(1)]]),
      async (api, pull) => {
        const lastModified = 'Fri, 02 Jan 2026 10:00:00 GMT';
        api.answer = (request, page) =>
          headerOf(request, 'if-modified-since') === lastModified
            ? { status: 304 }
            : whole(page, { 'last-modified': lastModified, date });
        await pull();
        const { asked, items } = await pull();
        assert.equal(asked, [['/rows?page=1&n=2', undefined, asks ? lastModified : undefined]]);
        assert.is(items.length, asks ? 0 : 1);
      },
    ));
}

test('a weak tag is sent as it came, with the date beside it', () =>
  onPages(
    numbered(() => [[row(1)]]),
    async (api, pull) => {
      const headers = { etag: 'W/"1"', 'last-modified': 'Thu, 01 Jan 2026 10:00:00 GMT' };
      api.answer = (request, page) =>
        headerOf(request, 'if-none-match') === 'W/"1"' ? { status: 304 } : whole(page, headers);
      await pull();
      const { asked, items } = await pull();
      assert.equal(asked, [['/rows?page=1&n=2', headers.etag, headers['last-modified']]]);
      assert.equal(items, []);
    },
  ));

test('a server that ignores validators sends everything, and it arrives', () =>
  onPages(
    numbered(() => [[row(1), row(2)], [row(3)]]),
    async (api, pull) => {
      api.answer = (_, page) => whole(page, { etag: '"same"' });
      await pull();
      const second = await pull();
      assert.is(second.items.length, 3);
      assert.equal(tags(second), ['"same"', '"same"']);
    },
  ));

test('a 304 that was not asked for is an error that says so', () =>
  onPages(
    numbered(() => [[row(1)]]),
    async (api, pull) => {
      api.answer = () => ({ status: 304 });
      const error = await failure(pull());
      assert.is(error.code, 'ERR_STATUS');
      assert.match(error.message, /\/rows\?page=1&n=2 failed with status 304 .*the request had no validators/);
    },
  ));

test('a 304 with the headers of its page is still one without a body', () =>
  onPages(
    numbered(() => [[row(1)]]),
    async (api, pull) => {
      const headers = { 'content-encoding': 'gzip', location: '/elsewhere' };
      api.answer = (request, page) =>
        headerOf(request, 'if-none-match') === undefined
          ? {
              headers: { 'content-type': 'application/json', etag: '"1"', 'content-encoding': 'gzip' },
              body: gzipSync(JSON.stringify(page.body)),
            }
          : { status: 304, headers };
      await pull();
      const second = await pull();
      assert.is(second.unchanged, 1);
      assert.is(second.asked.length, 1);
    },
  ));

test('a header of the configuration counts instead, and its 304 is a page without a body', () =>
  onPages(
    numbered(() => [[row(1)]]),
    async (api, pull) => {
      const job = { headers: { 'if-none-match': '"mine"' } };
      api.answer = (_, page) => whole(page, { etag: '"1"', 'last-modified': 'Thu, 01 Jan 2026 10:00:00 GMT' });
      await pull({}, job);
      const second = await pull({}, job);
      assert.equal(second.asked, [['/rows?page=1&n=2', '"mine"', undefined]]);
      api.answer = () => ({ status: 304 });
      const third = await pull({}, job);
      assert.is(third.unchanged, 0);
      assert.ok(third.notices.some(({ code }) => code === 'no-body'));
    },
  ));

test('a redirect leads to another resource: it has no validators', () =>
  onPages(
    () => undefined,
    async (api, pull) => {
      api.pages = (target) => (target.startsWith('/rows') ? { body: 'moved' } : { body: [row(1)] });
      api.answer = (request, page) =>
        page.body === 'moved' ? { status: 302, headers: { location: '/real' } } : byTag(request, page);
      await pull();
      const second = await pull();
      assert.equal(tags(second), none(2));
      assert.is(second.items.length, 1);
    },
  ));

test('`full` asks for everything, and its tags count afterwards; so does another configuration', () =>
  onPages(
    numbered(() => [[row(1), row(2)], [row(3)]]),
    async (_, pull) => {
      await pull();
      const full = await pull({ full: true });
      assert.equal(tags(full), none(2));
      assert.is(full.items.length, 3);
      assert.is((await pull()).unchanged, 2);
      const other = await pull({}, { userData: { from: 'x' } });
      assert.equal(tags(other), none(2));
      assert.is((await pull({}, { userData: { from: 'x' } })).unchanged, 2);
      assert.equal(tags(await pull({}, { userData: { from: 'x' } }, {})).includes(undefined), false);
      assert.equal(tags(await pull({ select: 'id' }, { userData: { from: 'x' } })), none(2));
      assert.equal(tags(await pull()), none(2), 'the tags of the first configuration are forgotten');
    },
  ));

test('a limited run keeps the tags of pages that it has not seen; a complete one forgets them', () => {
  let lists = [[row(1), row(2)], [row(3), row(4)], [row(5)]];
  return onPages(
    numbered(() => lists),
    async (_, pull, store) => {
      await pull();
      await pull({ maxPages: 1 });
      assert.is((await pull()).unchanged, 3);
      lists = [[row(1)]];
      await pull();
      const { pages } = await readMemory(store);
      assert.is(Object.keys(pages?.rows?.pages ?? {}).length, 1);
    },
  );
});

test('an item that `lag` leaves to the next run keeps its page whole there', () =>
  onPages(
    numbered(() => [
      [
        { id: 1, at: '2026-01-01T00:00:00Z' },
        { id: 2, at: '2126-01-01T00:00:00Z' },
      ],
      [{ id: 3, at: '2026-01-01T00:00:00Z' }],
    ]),
    async (_, pull) => {
      const job = { incremental: { path: 'at', lag: '5m' } };
      assert.is((await pull({}, job)).items.length, 2);
      const second = await pull({}, job);
      assert.equal(tags(second), [undefined, tagOf([{ id: 3, at: '2026-01-01T00:00:00Z' }])]);
    },
  ));

test('a job that remembers a value too keeps it over pages that have not changed', () =>
  onPages(
    numbered(() => [
      [
        { id: 1, at: 5 },
        { id: 2, at: 7 },
      ],
      [{ id: 3, at: 6 }],
    ]),
    async (_, pull) => {
      const job = { incremental: { path: 'at', param: 'since' } };
      await pull({}, job);
      await pull({}, job);
      const third = await pull({}, job);
      assert.equal(targets(third), ['/rows?since=7&page=1&n=2', '/rows?since=7&page=2&n=2']);
      assert.is(third.unchanged, 2);
      assert.is((await pull({ since: '1' }, job)).unchanged, 0, 'a backfill asks for everything');
      assert.is((await pull({}, job)).unchanged, 2, 'and changes nothing');
    },
  ));

test('the children of a job can ask so, and the job itself cannot', () =>
  onPages(
    (target) => ({ body: target === '/shops' ? [{ id: 1 }, { id: 2 }] : [{ of: target }] }),
    async (_, pull) => {
      const child = { endpoint: 'shops/{id}', placeholders: { id: 'id' }, revalidate: true };
      const job = { endpoint: 'shops', revalidate: false, children: [child] };
      const ofApi = { pagination: { method: 'none' } };
      await pull({}, job, ofApi);
      const second = await pull({}, job, ofApi);
      assert.equal(targets(second), ['/shops', '/shops/1', '/shops/2']);
      assert.equal(second.items, [{ id: 1 }, { id: 2 }]);
      const error = await failure(pull({}, { ...job, revalidate: true }, ofApi));
      assert.match(error.message, /config\.jobs\[0\]\.revalidate: cannot be used here: child jobs need the items/);
    },
  ));

const refused: readonly (readonly [job: object, says: RegExp])[] = [
  [{ method: 'POST' }, /the method of the job is POST/],
  [{ pagination: { method: 'offset', limit: 2, repair: true } }, /`repair` needs the items/],
  [
    { windows: { from: 0, to: 4, step: 2, params: { from: 'a', to: 'b' }, split: true } },
    /windows that `split` need the items/,
  ],
];

for (const [job, says] of refused) {
  test(`refused before a request: ${JSON.stringify(job)}`, () =>
    onPages(
      () => undefined,
      async (api, pull) => {
        const error = await failure(pull({}, job));
        assert.is(error.code, 'ERR_CONFIG');
        assert.match(error.message, says);
        assert.equal(api.take(), []);
      },
    ));
}

test(
  'an output that is replaced is refused before the first request, unless everything is asked for',
  inFolder((dir) =>
    onPages(
      numbered(() => [[row(1)]]),
      async (api, pull) => {
        const error = await failure(pull({ to: ndjson(dir) }));
        assert.is(error.code, 'ERR_USAGE');
        assert.match(error.message, /job "rows" has `revalidate`, and "ndjson:.*" replaces the output/);
        assert.equal(api.take(), []);
        await pull({ to: ndjson(dir), full: true });
        await pull({ to: ndjson(dir), allow: ['only-new'] });
        await run(pagesConfiguration(api.origin), { to: ndjson(dir) });
        assert.is(readFileSync(join(dir, 'rows.ndjson'), 'utf8'), '{"id":1,"note":""}\n');
      },
    ),
  ),
);

async function rowsIn(file: string): Promise<readonly string[]> {
  const database = await openDatabase(file);
  try {
    const found = await database.rows('SELECT id, note FROM rows');
    return found.map(({ id, note }) => `${id}${note}`).sort();
  } finally {
    database.close();
  }
}

test(
  'a mirror keeps the rows of pages that have not changed, and drops others only when it has asked for all',
  inFolder((dir) => {
    let lists = [[row(1), row(2)], [row(3)]];
    return onPages(
      numbered(() => lists),
      async (_, pull) => {
        const file = join(dir, 'out.db');
        const to = () => duckdb({ file, mode: 'mirror', key: 'id' });
        await pull({ to: to() });
        lists = [[row(1), row(2)], [row(4)]];
        await pull({ to: to() });
        assert.equal(await rowsIn(file), ['1', '2', '3', '4']);
        await pull({ to: to(), full: true });
        assert.equal(await rowsIn(file), ['1', '2', '4']);
      },
    );
  }),
);

for (const mode of ['mirror', 'history'] as const) {
  test(
    `mode=${mode}: a run with nothing new loses nothing, and one that finds nothing at all is a warning`,
    inFolder((dir) => {
      let lists = [[row(1), row(2)], [row(3)]];
      return onPages(
        numbered(() => lists),
        async (_, pull) => {
          const to = () => duckdb({ file: join(dir, 'out.db'), mode, key: 'id' });
          const emptied = ({ notices }: Pull) => notices.filter(({ code }) => code === 'emptied').length;
          await pull({ to: to() });
          assert.is(emptied(await pull({ to: to(), strict: true })), 0);
          assert.is((await rowsIn(join(dir, 'out.db'))).length, 3);
          lists = [[]];
          assert.is(emptied(await pull({ to: to(), full: true })), 1);
        },
      );
    }),
  );
}

const killPlaces = ['after a page', 'before it publishes', 'after it has published'] as const;

function killed(sink: Sink, place: (typeof killPlaces)[number]): Sink {
  if (place === 'after a page') return sink;
  return delegate(sink, {
    async close(closing) {
      if (place === 'after it has published') await sink.close(closing);
      throw new Error('killed');
    },
  });
}

for (const place of killPlaces) {
  for (const resume of [true, false]) {
    test(
      `killed ${place}, then ${resume ? 'resumed' : 'replaced by a new run'}: no changed page is taken for known`,
      inFolder((dir) => {
        let lists = [[row(1), row(2)], [row(3), row(4)], [row(5)]];
        return onPages(
          numbered(() => lists),
          async (_, pull, first) => {
            const file = join(dir, 'out.db');
            const to = () => duckdb({ file, mode: 'merge', key: 'id' });
            await pull({ to: to() });
            lists = [[row(1, 'a'), row(2)], [row(3), row(4, 'b')], [row(5)]];
            // Behind `begin` and the record of the first page.
            const store = place === 'after a page' ? failingAfter(1, memoryStore(first.held)) : memoryStore(first.held);
            await failure(pull({ to: killed(to(), place), store }));
            const after = memoryStore(store.held);
            await pull({ to: to(), store: after, resume });
            assert.equal(await rowsIn(file), ['1a', '2', '3', '4b', '5']);
            assert.is((await pull({ to: to(), store: after })).unchanged, 3);
          },
        );
      }),
    );
  }
}

test(
  'a sink that appends has the changed pages of each run, and no row is missing',
  inFolder((dir) => {
    let lists = [[row(1), row(2)], [row(3)]];
    return onPages(
      numbered(() => lists),
      async (_, pull) => {
        const to = () => ndjson(dir, { mode: 'append' });
        await pull({ to: to() });
        lists = [
          [row(1), row(2)],
          [row(3), row(4)],
        ];
        await pull({ to: to() });
        const lines = readdirSync(dir).flatMap((name) => readFileSync(join(dir, name), 'utf8').trim().split('\n'));
        assert.equal(lines.map((line) => JSON.parse(line).id).sort(), [1, 2, 3, 3, 4]);
      },
    );
  }),
);

test(
  'a run that is recorded asks for everything: a replay has to have the items',
  inFolder((dir) =>
    onPages(
      numbered(() => [[row(1), row(2)], [row(3)]]),
      async (_, pull) => {
        await pull();
        const exchanges = await recordExchanges(join(dir, 'run.jsonl'));
        const recorded = await pull({ exchanges });
        await exchanges.close();
        assert.equal(tags(recorded), none(2));
        assert.is(recorded.items.length, 3);
        assert.is((await pull()).unchanged, 2);
      },
    ),
  ),
);

test('a child whose request fails once keeps the tags of the others, and of its own page', () => {
  const fails = new Set<string>();
  const pages: PagesApi['pages'] = (target) =>
    fails.has(target) ? undefined : { body: target === '/shops' ? [{ id: 1 }, { id: 2 }] : [{ of: target }] };
  return onPages(pages, async (_, pull) => {
    const child = { endpoint: 'shops/{id}', placeholders: { id: 'id' }, revalidate: true, onError: 'skip' };
    const job = { endpoint: 'shops', revalidate: false, children: [child] };
    const ofApi = { pagination: { method: 'none' } };
    await pull({}, job, ofApi);
    fails.add('/shops/1');
    assert.is((await pull({}, job, ofApi)).unchanged, 1);
    fails.clear();
    assert.is((await pull({}, job, ofApi)).unchanged, 2);
    fails.add('/shops/2');
    await pull({}, job, ofApi);
    fails.clear();
    assert.is((await pull({ resume: 'failed' }, job, ofApi)).unchanged, 1, 'sent again with its tag');
    assert.is((await pull({}, job, ofApi)).unchanged, 2);
  });
});

test('a state in an object store knows the pages too', () =>
  onPages(
    numbered(() => [[row(1), row(2)], [row(3)]]),
    async (_, pull) => {
      const objects = await startFakeS3();
      const env = { AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'SECRET-VALUE' };
      const store = () => stateAt(`s3://lake/states/rows?endpoint=${objects.origin}`, { env });
      try {
        assert.is((await pull({ store: store() })).items.length, 3);
        assert.is((await pull({ store: store() })).unchanged, 2);
      } finally {
        await objects.close();
      }
    },
  ));

test('a secret in the next link is not stored: the page is requested whole', () => {
  const pages: PagesApi['pages'] = (target) =>
    target.startsWith('/rows?at')
      ? { body: { data: [row(2)] } }
      : { body: { data: [row(1)], next: '/rows?at=2&session=s3cr3t-of-the-login' } };
  return onPages(pages, async (api, pull, store) => {
    const ofApi = {
      pagination: { method: 'response.url', urlKey: 'next' },
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login' },
        apiRequest: { headers: { 'X-Key': 'key' } },
      },
    };
    api.pages = (target) => (target === '/login' ? { body: { key: 's3cr3t-of-the-login' } } : pages(target));
    await pull({}, {}, ofApi);
    const second = await pull({}, {}, ofApi);
    assert.is(JSON.stringify(store.moments.map(({ records }) => records)).includes('s3cr3t'), false);
    assert.is(second.items.length, 1, 'page 1 is whole, page 2 has not changed');
  });
});

test('walks that differ only in a secret are not taken for one another: their pages are requested whole', () => {
  const versions: Record<string, number> = { 'account-of-north': 1, 'account-of-south': 2 };
  return onPages(
    () => undefined,
    async (api, pull) => {
      const accountOf = (target: string) => new URL(target, 'http://x').searchParams.get('account') ?? '';
      api.pages = (target) => ({ body: [{ of: accountOf(target), version: versions[accountOf(target)] }] });
      // A tag that counts the versions of a page, as of a row in a database.
      api.answer = (request, page) => {
        const etag = `"${versions[accountOf(request.target)]}"`;
        return headerOf(request, 'if-none-match') === etag ? { status: 304, headers: { etag } } : whole(page, { etag });
      };
      const job = { each: { account: [{ env: 'NORTH' }, { env: 'SOUTH' }] } };
      const options = { env: { NORTH: 'account-of-north', SOUTH: 'account-of-south' } };
      assert.is((await pull(options, job)).items.length, 2);
      versions['account-of-north'] = 2;
      const second = await pull(options, job);
      assert.equal(tags(second), none(2));
      assert.equal(second.items[0], { of: 'account-of-north', version: 2 });
    },
  );
});

test('of more than 10,000 pages of a job the first ones are kept, with a warning', () => {
  const pages = createValidatedPages();
  for (let page = 0; page < mostPages + 5; page += 1) {
    pages.take({
      job: 0,
      took: { job: 1, requests: 1, retries: 0, count: 0, bytes: 0, delivered: true },
      validated: [`k${page}`, '{}'],
    });
  }
  const notices: Notice[] = [];
  const revalidation = createRevalidation({
    jobs: [{ name: 'rows', revalidate: true }],
    remembered: noMemory,
    mark: 'm',
    sends: true,
    isBackfill: false,
    notify: (each) => void notices.push(each),
  });
  const seen = pages.all().map(([, , key, facts]) => ({ job: 'rows', key, facts }));
  const memoryAfter = revalidation?.remember(noMemory, seen, new Set(['rows']));
  assert.is(Object.keys(memoryAfter?.pages?.rows?.pages ?? {}).length, mostPages);
  assert.equal(
    notices.map(({ code }) => code),
    ['pages-not-kept'],
  );
});

test.run();
