/**
 * Going on with a run: what must be the same, what may differ, what goes on besides the pages, and what is refused with
 * nothing changed.
 */

import { existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncScheduler, lastValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { all } from '../../sinks/decorators/fan-out.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import { fromFunction } from '../../sinks/from-function.js';
import { nullSink } from '../../sinks/null.js';
import { openCheckpoint } from '../../src/checkpoint/checkpoint.js';
import type { ExtractError } from '../../src/core/errors/errors.js';
import { type Exact, ExactNumber } from '../../src/core/json/exact.js';
import type { Notice } from '../../src/core/model/notice.js';
import { version } from '../../src/core/util/version.js';
import { extract, run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { type Api, items, json, type Reply } from '../loopback/api.js';
import { diskFull, withWrite } from '../sinks/disk.js';
import { idsSink, linesIn, newStore, transactionSink } from '../sinks/kinds.js';
import { filesIn, rejection } from '../sinks/lib.js';
import { unchecked } from '../unchecked.js';
import { type MemoryStore, memoryStore } from './memory-store.js';
import { configurationOf, onServer, type Scene, secret } from './scenes.js';

const pagenum = { pagination: { method: 'pagenum' } };
const down: Reply = { status: 503, body: 'down' };

/** Pages of two items; the page of that number fails as long as `isDown` says so. */
function pagesOf(count: number, broken = 3): Scene & { isDown: boolean } {
  const scene = {
    what: '',
    api: pagenum,
    jobs: [{ endpoint: 'users' }],
    isDown: true,
    answer(url: URL): Reply {
      const page = Number(url.searchParams.get('page'));
      if (scene.isDown && page === broken) return down;
      return json(page > count ? [] : items(page * 2, 2));
    },
  };
  return scene;
}

const itemsOf = (count: number) =>
  items(2, count * 2)
    .map((item) => `${JSON.stringify(item)}\n`)
    .join('');

const targets = ({ requests }: Api, from = 0) => requests.slice(from).map(({ target }) => target);

/** Runs until the API fails; what the store holds then. */
async function interrupted(server: Api, scene: Scene, dir: string, options: RunOptions = {}): Promise<MemoryStore> {
  const store = memoryStore();
  const work = () => run(configurationOf(scene, server.origin), { to: ndjson(dir), store, ...options });
  await rejection(work, 'ERR_STATUS');
  assert.is(store.isOpen, false);
  return memoryStore(store.held);
}

function resuming(server: Api, scene: Scene, dir: string, store: MemoryStore, options: RunOptions = {}) {
  return run(configurationOf(scene, server.origin), { to: ndjson(dir), store, resume: true, ...options });
}

function on<S extends Scene>(scene: S, use: (given: { server: Api; dir: string; scene: S }) => Promise<void>) {
  return onServer(scene, (server, dir) => use({ server, dir, scene }));
}

test(
  'an API that was down is asked again for the page that failed, and totals go on',
  on(pagesOf(4), async ({ server, dir, scene }) => {
    const store = await interrupted(server, scene, dir);
    scene.isDown = false;
    const notices: Notice[] = [];
    const start = server.requests.length;
    const summary = await resuming(server, scene, dir, store, { notify: (notice) => void notices.push(notice) });
    assert.equal(targets(server, start), ['/users?page=3', '/users?page=4', '/users?page=5']);
    assert.equal(filesIn(dir), { 'users.ndjson': itemsOf(4) });
    assert.equal(
      summary.jobs.map(({ pages, items, stop }) => [pages, items, stop]),
      [[5, 8, 'an empty page']],
    );
    assert.equal(
      summary.outputs.map((output) => output.items),
      [8],
    );
    assert.match(notices.map(({ message }) => message).join('\n'), /resuming the run of 20.*, after 2 pages/);
  }),
);

test(
  'with nothing to go on with a run begins afresh, and says so',
  on(pagesOf(1, 9), async ({ server, dir, scene }) => {
    const notices: Notice[] = [];
    const notify = (notice: Notice) => void notices.push(notice);
    const { guarantee } = await resuming(server, scene, dir, memoryStore(), { notify });
    assert.is(guarantee, 'exactly once');
    assert.equal(
      notices.map(({ code, message }) => `${code}: ${message}`),
      ['nothing-to-resume: nothing to resume in "memory": starting a new run'],
    );
    assert.equal(filesIn(dir), { 'users.ndjson': itemsOf(1) });
  }),
);

test(
  'with resume: only, a run that has ended is not run again: nothing is asked, and it reports what it reported',
  on(pagesOf(1, 9), async ({ server, dir, scene }) => {
    const store = memoryStore();
    const codes: string[] = [];
    const options: RunOptions = { resume: 'only', notify: ({ code }) => void codes.push(code) };
    const first = await resuming(server, scene, dir, store, options);
    const start = server.requests.length;
    rmSync(join(dir, 'users.ndjson'));
    const second = await resuming(server, scene, dir, memoryStore(store.held), options);
    assert.equal([first.ran, second], [true, { ...first, ran: false }]);
    assert.equal([targets(server, start), filesIn(dir)], [[], {}]);
    assert.equal(codes, ['nothing-to-resume', 'already-done']);
    const other = { ...scene, jobs: [{ endpoint: 'users', params: { since: '2026' } }] };
    await rejection(
      () => resuming(server, other, dir, memoryStore(store.held), options),
      'ERR_RESUME',
      /since is new$/,
    );
  }),
);

/** What may have changed before a run that follows a complete one: nothing of that is continued. */
const followers: readonly {
  readonly what: string;
  readonly scene?: object;
  readonly options?: RunOptions;
  readonly change?: (record: string) => string;
}[] = [
  { what: 'as it was' },
  { what: 'with another configuration', scene: { jobs: [{ endpoint: 'users', params: { since: '2026' } }] } },
  { what: 'with another limit', options: { maxPages: 1 } },
  { what: 'after another version', change: (record) => record.replace(/"version":"[^"]*"/, '"version":"0.0.9"') },
];

for (const { what, scene: other, options, change = (record: string) => record } of followers) {
  test(
    `a run that has ended is followed by a new one, ${what}`,
    on(pagesOf(2, 9), async ({ server, dir, scene }) => {
      const first = memoryStore();
      await resuming(server, scene, dir, first);
      const start = server.requests.length;
      const notices: Notice[] = [];
      const second = memoryStore({ ...first.held, records: first.held.records.map(change) });
      const more = { ...options, notify: (notice: Notice) => void notices.push(notice) };
      const { ran, jobs } = await resuming(server, { ...scene, ...other }, dir, second, more);
      assert.equal(
        [ran, jobs[0]?.pages, targets(server, start).length],
        options === undefined ? [true, 3, 3] : [true, 1, 1],
      );
      assert.is(
        notices.filter(({ level }) => level === 'info').map(({ code, message }) => `${code}: ${message}`)[0],
        'nothing-to-resume: the run in "memory" is complete: starting a new run',
      );
      const [before, after] = await Promise.all([runIn(first), runIn(second)]);
      assert.is.not(after, before, 'a new name, so that a destination does not know its items');
      assert.equal(filesIn(dir), { 'users.ndjson': itemsOf(options === undefined ? 2 : 1) });
    }),
  );
}

/** The name of the run in a store. */
async function runIn({ held }: MemoryStore): Promise<string | undefined> {
  const records = held.records.map((record) => record.replace(/"version":"[^"]*"/, `"version":"${version}"`));
  const { earlier } = await openCheckpoint(memoryStore({ ...held, records }), { resume: 'only' });
  return earlier[0]?.begin.run;
}

for (const [recovery, make] of Object.entries({ ids: idsSink, transaction: transactionSink })) {
  test(
    `a destination that knows the items of a complete run gets those of the next one: ${recovery}`,
    on(pagesOf(2), async ({ server, dir, scene }) => {
      const destination = newStore();
      const ids = [2, 3, 4, 5].map((id) => JSON.stringify(items(id, 1)[0]));
      let { held } = memoryStore();
      for (const round of [1, 2]) {
        const broken = memoryStore(held);
        scene.isDown = true;
        await rejection(() => resuming(server, scene, dir, broken, { to: make(destination) }), 'ERR_STATUS');
        scene.isDown = false;
        const rest = memoryStore(broken.held);
        await resuming(server, scene, dir, rest, { to: make(destination) });
        assert.equal(linesIn(destination, 'users'), round === 1 ? ids : [...ids, ...ids]);
        held = rest.held;
      }
    }),
  );
}

test(
  'a run that a limit has ended is complete: the next one begins at its first page',
  on(pagesOf(3, 9), async ({ server, dir, scene }) => {
    const store = memoryStore();
    await resuming(server, scene, dir, store, { maxItems: 3 });
    const start = server.requests.length;
    await resuming(server, scene, dir, memoryStore(store.held), { maxItems: 3 });
    assert.equal(targets(server, start), ['/users?page=1', '/users?page=2']);
    assert.equal(filesIn(dir), { 'users.ndjson': itemsOf(3).split('\n').slice(0, 3).join('\n').concat('\n') });
  }),
);

test('resume is true, false, "only" or "failed", and needs a store', async () => {
  const wrong: object = { resume: 'once' };
  await rejection(
    () => openCheckpoint(memoryStore(), wrong),
    'ERR_USAGE',
    /^resume: expected true, false, "only" or "failed"$/,
  );
  const configuration = configurationOf(pagesOf(1), 'http://127.0.0.1:9');
  for (const resume of [true, 'only'] as const) {
    await rejection(
      () => run(unchecked(configuration), { resume }),
      'ERR_USAGE',
      /^resume: needs a store to resume from$/,
    );
  }
});

test(
  'without resume a run begins anew, and says that it replaces what was left',
  on(pagesOf(3), async ({ server, dir, scene }) => {
    const store = await interrupted(server, scene, dir);
    scene.isDown = false;
    const notices: Notice[] = [];
    const start = server.requests.length;
    const notify = (notice: Notice) => void notices.push(notice);
    await resuming(server, scene, dir, store, { resume: false, notify });
    assert.equal(targets(server, start).length, 4);
    assert.equal(
      notices.map(({ code }) => code),
      ['state-replaced'],
    );
    assert.equal(filesIn(dir), { 'users.ndjson': itemsOf(3) });
  }),
);

const others: readonly {
  readonly what: string;
  readonly scene?: object;
  readonly options?: RunOptions;
  readonly says: RegExp;
}[] = [
  {
    what: 'a job with another parameter',
    scene: { jobs: [{ endpoint: 'users', params: { since: '2026' } }] },
    says: /configuration or window: config\.jobs\[0\]\.params\.since is new$/,
  },
  {
    what: 'a job more',
    scene: { jobs: [{ endpoint: 'users' }, { endpoint: 'x' }] },
    says: /config\.jobs\[1\]\.endpoint is new/,
  },
  {
    what: 'another pagination',
    scene: { api: { pagination: { method: 'pagenum', firstPage: 0 } } },
    says: /api\.pagination\.firstPage is new$/,
  },
  {
    what: 'a job that has got a pagination of its own',
    scene: { jobs: [{ endpoint: 'users', pagination: { method: 'pagenum' } }] },
    says: /config\.jobs\[0\]\.pagination\.method is new$/,
  },
  {
    what: 'another window',
    options: { state: { time: { previousStart: 5 } } },
    says: /state\.time\.previousStart is new/,
  },
  { what: 'another bound', options: { maxItems: 3 }, says: /maxItems was none and is 3$/ },
  {
    what: 'other names for outputs',
    options: { outputNames: 'bucket.dataType' },
    says: /outputNames was "dataType" and is "bucket\.dataType"$/,
  },
];

test('a job with a pagination of its own goes on where it was, and what it was walked by must be the same', () => {
  const pagination = { method: 'pagenum', pageParam: 'page' };
  const api = { pagination: { method: 'offset', limit: 2 } };
  const scene = Object.assign(pagesOf(4), { api, jobs: [{ endpoint: 'users', pagination }] });
  return on(scene, async ({ server, dir }) => {
    const store = await interrupted(server, scene, dir);
    const held = memoryStore(store.held);
    const other = { ...scene, jobs: [{ endpoint: 'users', pagination: { ...pagination, firstPage: 0 } }] };
    await rejection(() => resuming(server, other, dir, store), 'ERR_RESUME', /\.pagination\.firstPage is new$/);
    scene.isDown = false;
    const start = server.requests.length;
    await resuming(server, scene, dir, held);
    assert.equal(targets(server, start), ['/users?page=3', '/users?page=4', '/users?page=5']);
    assert.equal(filesIn(dir), { 'users.ndjson': itemsOf(4) });
  })();
});

for (const { what, scene: other, options, says } of others) {
  test(
    `${what} is refused with what differs, and nothing is changed or asked for`,
    on(pagesOf(3), async ({ server, dir, scene }) => {
      const store = await interrupted(server, scene, dir);
      const before = [filesIn(dir), store.held.records];
      const start = server.requests.length;
      const work = () => resuming(server, { ...scene, ...other }, dir, store, options);
      const refusal = await rejection(work, 'ERR_RESUME', says);
      assert.not.match(refusal.message, /2026|hush/);
      assert.equal([filesIn(dir), store.held.records], before);
      assert.equal([targets(server, start), store.isOpen], [[], false]);
    }),
  );
}

test(
  'another version is refused',
  on(pagesOf(3), async ({ server, dir, scene }) => {
    const { held } = await interrupted(server, scene, dir);
    const records = held.records.map((text) => text.replace(/"version":"[^"]*"/, '"version":"0.0.9"'));
    const work = () => resuming(server, scene, dir, memoryStore({ ...held, records }));
    await rejection(work, 'ERR_RESUME', /"memory" was written by rxtract 0\.0\.9, and this is \d/);
  }),
);

test(
  'another form of records is refused, whatever version wrote it',
  on(pagesOf(3), async ({ server, dir, scene }) => {
    const { held } = await interrupted(server, scene, dir);
    const records = held.records.map((text) => text.replace(/"format":\d+/, '"format":0'));
    await rejection(
      () => resuming(server, scene, dir, memoryStore({ ...held, records })),
      'ERR_RESUME',
      /another build of rxtract \S+; its state has format 0, and this build reads 5: resume with the version that wrote/,
    );
  }),
);

test(
  'a state of format 2, whose records had other names, is refused and stays; a new start replaces it',
  on(pagesOf(3), async ({ server, dir, scene }) => {
    const begin = { is: 'begin', format: 2, version, startedAt: 0, marks: {} };
    const held = { records: [begin, { is: 'over', job: 0 }].map((each) => JSON.stringify(each)), parts: new Map() };
    const store = memoryStore(held);
    await rejection(() => resuming(server, scene, dir, store), 'ERR_RESUME', /has format 2, and this build reads 5/);
    assert.equal([store.held.records, targets(server)], [held.records, []]);
    scene.isDown = false;
    const codes: string[] = [];
    await resuming(server, scene, dir, store, { resume: false, notify: ({ code }) => void codes.push(code) });
    assert.equal(codes, ['state-replaced']);
  }),
);

const textLogin = { type: 'login', format: 'text', loginRequest: { endpoint: 'login' } };

const fixed: readonly { readonly what: string; readonly api?: object; readonly config?: object }[] = [
  { what: 'retries', api: { retryConfig: { maxRetries: 1, http: { codes: [503, 520] } } } },
  { what: 'time-outs', api: { http: { connectTimeout: 9, headersTimeout: 9, idleTimeout: 9, requestTimeout: 9 } } },
  { what: 'rates', api: { http: { rateLimit: ['50/s', '9000/h'], rateLimitHeaders: false } } },
  {
    what: 'what refuses a token',
    api: { authentication: { ...textLogin, refusedBy: [401, 403], refusedText: 'expired' } },
  },
  { what: 'who shares a login', api: { authentication: { ...textLogin, shared: true } } },
  { what: 'trusted origins', api: { http: { credentialOrigins: ['https://files.example.com'] } } },
  { what: 'a name for people', api: { name: 'shop' } },
  { what: 'debug', config: { debug: true } },
];

for (const { what, api, config } of fixed) {
  test(
    `what broke a run may be fixed before a resume: ${what}`,
    on(pagesOf(4), async ({ server, dir, scene }) => {
      const before = { ...pagenum, authentication: textLogin };
      const store = await interrupted(server, { ...scene, api: before }, dir);
      scene.isDown = false;
      const start = server.requests.length;
      await resuming(server, { ...scene, api: { ...before, ...api }, config: { ...config } }, dir, store);
      assert.equal(targets(server, start).slice(0, 2), ['/login', '/users?page=3']);
      assert.equal(filesIn(dir), { 'users.ndjson': itemsOf(4) });
    }),
  );
}

test(
  'what decides on items may not differ, though it stands beside: statuses whose answers are ignored',
  on(pagesOf(4), async ({ server, dir, scene }) => {
    const store = await interrupted(server, scene, dir);
    const other = { ...scene, api: { ...pagenum, http: { ignoreErrors: [503], idleTimeout: 9 } } };
    await rejection(
      () => resuming(server, other, dir, store),
      'ERR_RESUME',
      /window: api\.http\.ignoreErrors\[0\] is new$/,
    );
  }),
);

test('a password that was changed meanwhile is accepted, and the new one goes out', () => {
  let password = secret;
  const scene: Scene = {
    what: '',
    api: { pagination: { method: 'response.param', responseParam: 'next', queryParam: 'at', includeParams: true } },
    jobs: [{ endpoint: 'users', dataField: 'items', params: { key: { attr: '#password' } } }],
    answer(url) {
      if (url.searchParams.get('key') !== password) return down;
      const at = Number(url.searchParams.get('at') ?? 1);
      if (at === 2) password = 'another-password';
      return json({ items: items(at * 2, 2), next: at < 4 ? at + 1 : null });
    },
  };
  return on(scene, async ({ server, dir }) => {
    const store = await interrupted(server, scene, dir);
    await resuming(server, { ...scene, config: { '#password': password } }, dir, store);
    assert.equal(filesIn(dir), { 'users.ndjson': itemsOf(4) });
    assert.match(targets(server).at(-1) ?? '', /key=another-password/);
  })();
});

test(
  'the window stays that of the first start, functions of time in a walk that had begun included',
  on(
    {
      ...pagesOf(3),
      jobs: [{ endpoint: 'users', params: { until: { time: 'currentStart' }, now: { function: 'time' } } }],
    },
    async ({ server, dir, scene }) => {
      const now = asyncScheduler.now;
      try {
        asyncScheduler.now = () => 1_700_000_000_000;
        const store = await interrupted(server, scene, dir);
        asyncScheduler.now = () => 1_800_000_000_000;
        await rejection(() => resuming(server, scene, dir, store), 'ERR_STATUS');
      } finally {
        asyncScheduler.now = now;
      }
      const windows = new Set(targets(server).map((target) => target.replace(/[?&]page=\d/, '')));
      assert.equal([...windows].length, 1, [...windows].join(' '));
      assert.match([...windows].join(), /until=1700000000.*now=1700000000/);
    },
  ),
);

test(
  'a file that was changed meanwhile is refused by its name',
  on(pagesOf(3), async ({ server, dir, scene }) => {
    const store = await interrupted(server, scene, dir);
    writeFileSync(join(dir, 'users.ndjson.partial'), '{"id":0}\n');
    const start = server.requests.length;
    await rejection(() => resuming(server, scene, dir, store), 'ERR_RESUME', /users\.ndjson\.partial" does not match/);
    assert.equal([targets(server, start), filesIn(dir)], [[], { 'users.ndjson.partial': '{"id":0}\n' }]);
  }),
);

test(
  'where the end of a file was lost with the power, the place that was saved before counts',
  on(pagesOf(4), async ({ server, dir, scene }) => {
    const { held } = await interrupted(server, scene, dir);
    const pages = held.records.filter((text) => text.includes('"type":"page"'));
    const records = [held.records[0] ?? '', pages[0] ?? '', '{"type":"sync","count":1}', pages[1] ?? ''];
    truncateSync(join(dir, 'users.ndjson.partial'), 20);
    scene.isDown = false;
    const start = server.requests.length;
    await resuming(server, scene, dir, memoryStore({ ...held, records }));
    assert.is(targets(server, start)[0], '/users?page=2');
    assert.equal(filesIn(dir), { 'users.ndjson': itemsOf(4) });
  }),
);

test('a run that was killed while it published goes on with publishing, and asks for nothing', () => {
  const scene: Scene = {
    what: '',
    api: {},
    jobs: [{ endpoint: 'a' }, { endpoint: 'b' }, { endpoint: 'none' }],
    answer: (url) => json(url.pathname === '/none' ? [] : [{ at: url.pathname }]),
  };
  return on(scene, async ({ server, dir }) => {
    const store = memoryStore();
    await resuming(server, scene, dir, store);
    const published = filesIn(dir);
    const start = server.requests.length;
    const publishing = store.moments.filter(({ records }) => records.at(-1)?.includes('"type":"publishing"'));
    assert.is(publishing.length, 1);
    for (const names of [['a', 'b', 'none'], ['b', 'none'], ['none'], []]) {
      for (const name of names) renameSync(join(dir, `${name}.ndjson`), join(dir, `${name}.ndjson.partial`));
      const summary = await resuming(server, scene, dir, memoryStore(publishing[0]));
      assert.equal(filesIn(dir), published, `still to be renamed: ${names}`);
      assert.equal(
        summary.outputs.map(({ items, unfinished }) => [items, unfinished]),
        [
          [1, undefined],
          [1, undefined],
          [0, undefined],
        ],
      );
    }
    assert.equal(targets(server, start), []);
  })();
});

test('what is being published is not added to: a job that a bound of time kept from beginning stays without pages', () => {
  const now = asyncScheduler.now;
  const scene: Scene = {
    what: '',
    api: {},
    jobs: [
      { endpoint: 'users', dataType: 'people' },
      { endpoint: 'admins', dataType: 'people' },
    ],
    answer(url) {
      asyncScheduler.now = () => now() + 60_000;
      return json([{ at: url.pathname }]);
    },
  };
  return on(scene, async ({ server, dir }) => {
    try {
      const store = memoryStore();
      await resuming(server, scene, dir, store, { maxDuration: 1000 });
      const publishing = store.moments.find(({ records }) => records.at(-1)?.includes('"type":"publishing"'));
      await resuming(server, scene, dir, memoryStore(publishing), { maxDuration: 1000 });
    } finally {
      asyncScheduler.now = now;
    }
    assert.equal(targets(server), ['/users']);
    assert.equal(filesIn(dir), { 'people.ndjson': '{"at":"/users"}\n' });
  })();
});

const into = {
  ndjson: (dir: string) => ndjson(join(dir, 'a')),
  'another ndjson': (dir: string) => ndjson(join(dir, 'b')),
  null: () => nullSink(),
  'a function': () => fromFunction(() => undefined),
} as const;
type Into = keyof typeof into;
const leftIn = (dir: string) =>
  ['a', 'b'].map((name) => join(dir, name)).map((path) => (existsSync(path) ? filesIn(path) : undefined));
const joined = (dir: string, names: readonly Into[]) => all(names.map((name) => into[name](dir)));

const changed: readonly (readonly [before: readonly Into[], now: readonly Into[]])[] = [
  [['ndjson'], ['null']],
  [['ndjson'], ['a function']],
  [['ndjson'], ['another ndjson']],
  [['ndjson'], ['ndjson', 'a function']],
  [['ndjson'], ['ndjson', 'another ndjson']],
  [['null'], ['ndjson']],
  [['a function'], ['ndjson']],
  [['a function'], ['null', 'ndjson']],
  [
    ['ndjson', 'a function'],
    ['ndjson', 'another ndjson'],
  ],
  [
    ['ndjson', 'a function'],
    ['a function', 'ndjson'],
  ],
  [['ndjson', 'null'], ['ndjson']],
  [
    ['ndjson', 'null'],
    ['ndjson', 'null', 'a function'],
  ],
  [
    ['ndjson', 'another ndjson'],
    ['ndjson', 'null'],
  ],
];

for (const [before, now] of changed) {
  test(
    `another sink is refused, and nothing is changed or asked for: ${before.join(' and ')}, then ${now.join(' and ')}`,
    on(pagesOf(4), async ({ server, dir, scene }) => {
      const store = await interrupted(server, scene, dir, { to: joined(dir, before) });
      scene.isDown = false;
      const left = [leftIn(dir), store.held.records];
      const start = server.requests.length;
      await rejection(() => resuming(server, scene, dir, store, { to: joined(dir, now) }), 'ERR_RESUME');
      assert.equal([leftIn(dir), store.held.records], left);
      assert.equal(targets(server, start), []);
      await resuming(server, scene, dir, store, { to: joined(dir, before) });
      assert.equal(targets(server, start), ['/users?page=3', '/users?page=4', '/users?page=5']);
    }),
  );
}

test('a secret that cannot be filled in again is never written: the run says so, and a resume goes back to before it', () => {
  let isDown = true;
  const scene: Scene = {
    what: '',
    api: {
      pagination: { method: 'response.url', urlKey: 'next' },
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login' },
        apiRequest: { headers: { 'X-Token': { response: 'token' } } },
      },
    },
    jobs: [
      { endpoint: 'plain', dataField: 'items', dataType: 'all' },
      { endpoint: 'users', dataField: 'items', dataType: 'all' },
      { endpoint: 'last', dataField: 'items', dataType: 'all' },
    ],
    answer(url, _, index) {
      if (url.pathname === '/login') return json({ token: `session-${index}-of-mine` });
      const at = Number(url.searchParams.get('at') ?? 1);
      if (url.pathname === '/last' && isDown) return down;
      const session = url.searchParams.get('session') ?? 'session-0-of-mine';
      const next = url.pathname === '/users' && at < 3 ? `/users?session=${session}&at=${at + 1}` : null;
      return json({ items: [{ of: url.pathname, at }], next });
    },
  };
  return on(scene, async ({ server, dir }) => {
    const notices: Notice[] = [];
    const notify = (notice: Notice) => void notices.push(notice);
    const store = memoryStore();
    const first = () => run(configurationOf(scene, server.origin), { to: ndjson(dir), store, notify });
    await rejection(first, 'ERR_STATUS');
    const waiting = notices.filter(({ code }) => code === 'state-waits');
    assert.equal(
      waiting.map(({ job }) => job),
      ['all#2'],
    );
    assert.not.match(store.moments.flatMap(({ records }) => records).join(), /session-/);

    // Behind the walk all of it is written at once.
    isDown = false;
    const start = server.requests.length;
    await resuming(server, scene, dir, memoryStore(store.held));
    assert.equal(targets(server, start), ['/login', '/last']);
    const whole = readFileSync(join(dir, 'all.ndjson'), 'utf8');
    assert.is(whole.split('\n').length, 6);

    // Killed within it, the walk begins again.
    const within = store.moments.findLast(({ records }) => !records.some((text) => text.includes('"type":"snapshot"')));
    writeFileSync(join(dir, 'all.ndjson.partial'), whole);
    const again = server.requests.length;
    await resuming(server, scene, dir, memoryStore(within));
    assert.equal(targets(server, again).slice(0, 2), ['/login', '/users']);
    assert.is(readFileSync(join(dir, 'all.ndjson'), 'utf8'), whole);
  })();
});

test(
  'a store that takes nothing more ends the run, and its output is left as it is',
  on(pagesOf(3, 9), async ({ server, dir, scene }) => {
    const store = memoryStore();
    const full = {
      open: async () => ({
        ...(await store.open()),
        append: async () => Promise.reject(new Error('no space left on device')),
      }),
    };
    const work = () => run(configurationOf(scene, server.origin), { to: ndjson(dir), store: full });
    await rejection(work, 'ERR_STATE', /no space left/);
    assert.equal(Object.keys(filesIn(dir)), ['users.ndjson.partial']);
    assert.is(store.isOpen, false);
  }),
);

test(
  'a sink that cannot be cut back is warned of, an error under strict',
  on(pagesOf(3), async ({ server, dir, scene }) => {
    const got: unknown[] = [];
    const to = () => fromFunction((batch) => void got.push(...batch.values()));
    const { held } = await interrupted(server, scene, dir, { to: to() });
    const strict = () => resuming(server, scene, dir, memoryStore(held), { to: to(), strict: true });
    await rejection(strict, 'ERR_STRICT', /items of the interrupted page may be written twice/);
    scene.isDown = false;
    const notices: Notice[] = [];
    const notify = (notice: Notice) => void notices.push(notice);
    const { guarantee } = await resuming(server, scene, dir, memoryStore(held), { to: to(), notify });
    assert.is(guarantee, 'at least once');
    assert.equal(
      notices.map(({ code }) => code),
      ['at-least-once', 'resumed'],
    );
    assert.equal(got, items(2, 6));
  }),
);

test(
  'bounds count what the broken run had',
  on(pagesOf(9), async ({ server, dir, scene }) => {
    const store = await interrupted(server, scene, dir, { maxItems: 5 });
    scene.isDown = false;
    const { jobs } = await resuming(server, scene, dir, store, { maxItems: 5 });
    assert.equal(
      jobs.map(({ items, bounded }) => [items, bounded]),
      [[5, true]],
    );
    assert.is(readFileSync(join(dir, 'users.ndjson'), 'utf8').split('\n').length, 6);
  }),
);

const rounds = [
  {
    what: 'a page that repeats the one before the break',
    pages: ['a', 'a'],
    broken: 2,
    ends: 'a page identical to the one before it',
  },
  { what: 'a round that began before the break', pages: ['a', 'b', 'a', 'b'], broken: 4, ends: 'ERR_LOOP' },
];

for (const { what, pages, broken, ends } of rounds) {
  test(`${what} is noticed`, () => {
    let isDown = true;
    const scene: Scene = {
      what: '',
      api: pagenum,
      jobs: [{ endpoint: 'users' }],
      answer(url) {
        const page = Number(url.searchParams.get('page'));
        return isDown && page === broken ? down : json([pages[page - 1] ?? 'end']);
      },
    };
    return on(scene, async ({ server, dir }) => {
      const store = await interrupted(server, scene, dir);
      isDown = false;
      const outcome = await resuming(server, scene, dir, store).then(
        ({ jobs }) => jobs[0]?.stop,
        ({ code }: ExtractError) => code,
      );
      assert.is(outcome, ends);
    })();
  });
}

const repeats = [
  { what: 'a row of the same items that began before the break', pages: 'aaaaaaaaaaaaaaa', broken: 6, asked: 11 },
  { what: 'a row that is complete at the page behind the break', pages: 'aaaaaaaaaaaaaaa', broken: 11, asked: 11 },
  { what: 'a round of items that began before the break', pages: 'xabcabc', broken: 5, asked: 7 },
];

for (const { what, pages, broken, asked } of repeats) {
  test(`${what} is an error all the same, and goes on where it is allowed`, () => {
    let isDown = true;
    const scene: Scene = {
      what: '',
      api: pagenum,
      jobs: [{ endpoint: 'users' }],
      answer(url, _, index) {
        const page = Number(url.searchParams.get('page'));
        return isDown && page === broken ? down : json({ request: index, items: [...(pages[page - 1] ?? '')] });
      },
    };
    const allowing = { ...scene, api: { pagination: { method: 'pagenum', allowRepeatedItems: true, prefetch: 2 } } };
    return on(scene, async ({ server, dir }) => {
      const { held } = await interrupted(server, scene, dir);
      isDown = false;
      const store = memoryStore(held);
      await rejection(() => resuming(server, scene, dir, store), 'ERR_LOOP');
      assert.is(targets(server).at(-1), `/users?page=${asked}`);
      const { jobs } = await resuming(server, allowing, dir, memoryStore(store.held));
      assert.is(jobs[0]?.stop, 'an empty page');
      assert.equal(filesIn(dir), { 'users.ndjson': [...pages].map((letter) => `"${letter}"\n`).join('') });
    })();
  });
}

for (const keeps of ['a state', 'no state']) {
  test(`once it is stopped no page begins, and the one under way is through: ${keeps}`, () => {
    let stop = async () => {};
    let stopping: Promise<void> | undefined;
    const scene: Scene = {
      ...pagesOf(9, 99),
      answer(url) {
        const page = Number(url.searchParams.get('page'));
        if (page === 2) stopping = stop();
        return json(items(page * 2, 2));
      },
    };
    return on(scene, async ({ server, dir }) => {
      const store = memoryStore();
      const kept = keeps === 'a state' ? { checkpoint: await openCheckpoint(store) } : {};
      const extraction = extract(configurationOf(scene, server.origin), { to: ndjson(dir), ...kept });
      stop = extraction.stop;
      await new Promise<void>((resolve) => {
        const subscription = extraction.receipts.subscribe(({ index }) => {
          if (index !== 1) return;
          stopping?.then(() => {
            subscription.unsubscribe();
            resolve();
          });
        });
      });
      await extraction.closed;
      assert.equal(targets(server), ['/users?page=1', '/users?page=2']);
      assert.is(filesIn(dir)['users.ndjson.partial'], itemsOf(2));
      const pages = store.held.records.filter((text) => text.includes('"type":"page"')).length;
      assert.equal([pages, store.isOpen], [keeps === 'a state' ? 2 : 0, false]);
    })();
  });
}

test(
  'a store needs resume or not, and resume needs a store',
  on(pagesOf(1, 9), async ({ server, scene }) => {
    const configuration = configurationOf(scene, server.origin);
    await rejection(() => run(configuration, { resume: true }), 'ERR_USAGE', /resume: needs a store/);
    const checkpoint = await openCheckpoint(memoryStore());
    await rejection(() => run(configuration, { store: memoryStore(), checkpoint }), 'ERR_USAGE', /cannot be used with/);
    await checkpoint.close();
  }),
);

test(
  'a checkpoint is for one extraction: not for a second, and not once it is closed',
  on(pagesOf(1, 9), async ({ server, scene }) => {
    const configuration = configurationOf(scene, server.origin);
    const store = memoryStore();
    const checkpoint = await openCheckpoint(store);
    const first = extract(configuration, { checkpoint });
    const second = async () => extract(configuration, { checkpoint });
    await rejection(second, 'ERR_USAGE', /^checkpoint: it is closed, or another extraction uses it/);
    await lastValueFrom(first.receipts);
    await first.closed;
    await rejection(second, 'ERR_USAGE', /openCheckpoint\(store/);
    const unused = await openCheckpoint(memoryStore());
    await unused.close();
    await rejection(async () => extract(configuration, { checkpoint: unused }), 'ERR_USAGE');
  }),
);

test('iterations of several buckets, with a data type each, go on into two sinks', () => {
  let isDown = true;
  const scene: Scene = {
    what: '',
    api: pagenum,
    jobs: [{ endpoint: 'users', params: { of: { attr: 'n' } } }],
    answer(url) {
      const [page, of] = [Number(url.searchParams.get('page')), Number(url.searchParams.get('of'))];
      if (isDown && of === 2 && page === 2) return down;
      return json(page > 2 ? [] : [{ page, of }]);
    },
  };
  return on(scene, async ({ server, dir }) => {
    const store = memoryStore();
    const iterations = [
      { n: 1, outputBucket: 'one' },
      { n: 2, outputBucket: 'two' },
    ];
    const configuration = unchecked({ ...configurationOf(scene, server.origin), iterations });
    const to = () => all([ndjson(join(dir, 'a')), ndjson(join(dir, 'b'))]);
    const options = { store, outputNames: 'bucket.dataType' } as const;
    await rejection(() => run(configuration, { ...options, to: to() }), 'ERR_STATUS');
    isDown = false;
    const start = server.requests.length;
    const { outputs } = await run(configuration, { ...options, to: to(), resume: true });
    assert.equal(targets(server, start), ['/users?of=2&page=2', '/users?of=2&page=3']);
    const lines = (of: number) => `{"page":1,"of":${of}}\n{"page":2,"of":${of}}\n`;
    for (const name of ['a', 'b']) {
      assert.equal(filesIn(join(dir, name)), { 'one.users.ndjson': lines(1), 'two.users.ndjson': lines(2) });
    }
    assert.equal(outputs.length, 4);
  })();
});

test(
  'a disk that was full is resumed where the last page had landed, whatever had been asked for since',
  on(pagesOf(5, 99), async ({ server, dir, scene }) => {
    let writes = 0;
    const full = withWrite((real) => (...write) => {
      writes += 1;
      return writes === 3 ? Promise.reject(diskFull) : real(...write);
    });
    const store = memoryStore();
    const configuration = configurationOf(scene, server.origin);
    const work = () => run(configuration, { to: ndjson(dir, { openFile: full }), store });
    await rejection(work, 'ERR_SINK', /no space left/);
    assert.equal(filesIn(dir), { 'users.ndjson.partial': itemsOf(2) });
    assert.is(store.held.records.filter((text) => text.includes('"type":"page"')).length, 2);
    const start = server.requests.length;
    await resuming(server, scene, dir, store);
    assert.is(targets(server, start)[0], '/users?page=3');
    assert.equal(filesIn(dir), { 'users.ndjson': itemsOf(5) });
  }),
);

/** A sink that counts its items and returns `result` from each commit. */
const committing = (recovery: 'cut' | 'ids', result: unknown) => ({
  name: 'rows',
  recovery,
  resume() {},
  write() {},
  commit: () => result as Exact, // sinks in JavaScript return anything
  rollback() {},
  close() {},
  abort() {},
});

for (const [what, result, found] of [
  ['a number', 2, 'a value of type number'],
  ['an object', { rows: 2 }, 'a value of type object'],
  ['a list with a number', ['rows', 2], 'a list or Map with other values'],
  ['a Map with a number', new Map([['rows', 2]]), 'a list or Map with other values'],
  ['a Map with other keys', new Map([[1, 'rows']]), 'a list or Map with other values'],
] as const) {
  test(
    `a checkpoint that is ${what} fails the run in plain words, and only if the sink declares cut`,
    on(pagesOf(2, 99), async ({ server, scene }) => {
      const configuration = configurationOf(scene, server.origin);
      const work = () => run(configuration, { to: committing('cut', result), store: memoryStore() });
      await rejection(work, 'ERR_SINK', new RegExp(`^commit of the sink "rows" returned ${found}, which the journal`));
      const store = memoryStore();
      await run(configuration, { to: committing('ids', result), store });
      assert.is(store.held.records.filter((text) => text.includes('"type":"page"')).length, 3);
    }),
  );
}

for (const [what, result] of [
  ['a string', '2'],
  ['nothing', undefined],
  ['a list of exact values', [true, new ExactNumber('2')]],
  ['a Map of exact values', new Map([['rows', null]])],
] as const) {
  test(
    `a checkpoint may be ${what}`,
    on(pagesOf(2, 99), async ({ server, scene }) => {
      const to = committing('cut', result);
      await run(configurationOf(scene, server.origin), { to, store: memoryStore() });
    }),
  );
}

test.run();
