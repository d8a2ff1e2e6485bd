/** What a log holds of pages below a request that is never stored, and where the journal knows less than the log. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { all } from '../../sinks/decorators/fan-out.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import type { Summary } from '../../src/run/job-stats.js';
import type { RunOptions } from '../../src/run/options.js';
import { failingAfter, type MemoryStore, memoryStore } from '../checkpoint/memory-store.js';
import { configurationOf, onServer, type Scene } from '../checkpoint/scenes.js';
import { type Api, items, json } from '../loopback/api.js';
import { filesIn, rejection } from '../sinks/lib.js';
import { copyOf, type Destination, destination, type LogFaults, transactionLog } from '../sinks/transaction-log.js';

const runScene = (scene: Scene, server: Api, options: RunOptions) =>
  run(configurationOf(scene, server.origin), { ...options, concurrency: scene.concurrency ?? 1 });

/** Runs until the sink has committed so many pages; what is in the store then. Undefined: the run came to its end. */
async function killedAfter(commits: number, to: Destination, scene: Scene, server: Api, store: MemoryStore) {
  let left = commits;
  let state: ReturnType<typeof memoryStore> | undefined;
  const after = () => {
    left -= 1;
    if (left > 0) return;
    state ??= memoryStore(store.held);
    throw new Error('killed');
  };
  const gone = () => {
    throw new Error('killed');
  };
  const log = transactionLog(to, { after, positions: gone });
  await runScene(scene, server, { to: log, store }).catch(() => undefined);
  return state;
}

/** Links of the top job hold a session that no later run could fill in again. */
const withSession: Scene = {
  what: 'a session in the links of the top job',
  api: {
    pagination: { method: 'response.url', urlKey: 'next' },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login' },
      apiRequest: { headers: { 'X-Token': { response: 'token' } } },
    },
  },
  jobs: [
    {
      endpoint: 'groups',
      dataField: 'items',
      children: [{ endpoint: 'groups/{id}/users', dataType: 'users', dataField: 'items', placeholders: { id: 'id' } }],
    },
  ],
  answer(url) {
    if (url.pathname === '/login') return json({ token: 'session-of-mine' });
    const at = Number(url.searchParams.get('at') ?? 1);
    if (url.pathname !== '/groups') {
      const next = at < 2 ? `${url.pathname}?at=${at + 1}` : null;
      return json({ items: [{ user: `${url.pathname} ${at}` }], next });
    }
    const next = at < 2 ? `/groups?session=session-of-mine&at=${at + 1}` : null;
    return json({ items: items(at * 2, 2), next });
  },
};

for (const concurrency of [1, 3]) {
  const scene = { ...withSession, concurrency };
  test(
    `pages of children below a request that is not stored are all there after a crash, ${concurrency} at once`,
    onServer(scene, async (server) => {
      const whole = destination();
      await runScene(scene, server, { to: transactionLog(whole), store: memoryStore() });
      for (let commits = 1; ; commits += 1) {
        const to = destination();
        const state = await killedAfter(commits, to, scene, server, memoryStore());
        if (state === undefined) break;
        for (const keep of to.keeps.values()) assert.not.match(keep, /session-of-mine/);
        await runScene(scene, server, { to: transactionLog(to), store: state, resume: true });
        assert.equal([...to.items].sort(), [...whole.items].sort(), `killed at commit ${commits}`);
      }
    }),
  );
}

const numbered: Scene = {
  what: 'page numbers',
  api: { pagination: { method: 'pagenum' } },
  jobs: [{ endpoint: 'users' }],
  answer(url) {
    const page = Number(url.searchParams.get('page'));
    return json(page > 5 ? [] : [{ id: page }]);
  },
};
const fiveItems = [1, 2, 3, 4, 5].map((id) => `users {"id":${id}}`);

test(
  'a page that only the log has counts in the journal of the resumed run too',
  onServer(numbered, async (server) => {
    const to = destination();
    const stopped = async (records: number, log: Sink, before?: MemoryStore) => {
      const store = failingAfter(records, before);
      const resume = before !== undefined;
      await rejection(() => runScene(numbered, server, { to: log, store, resume }), 'ERR_STATE');
      return memoryStore(store.held);
    };
    const first = await stopped(0, transactionLog(to));
    // From now on the log takes no progress: it knows only the number of its pages.
    const short = () => transactionLog(to, {}, { keepBytes: 80 });
    const second = await stopped(1, short(), first);
    await runScene(numbered, server, { to: short(), store: second, resume: true });
    assert.equal(to.items, fiveItems);
  }),
);

const family: Scene = {
  what: 'children',
  api: { pagination: { method: 'pagenum' } },
  jobs: [
    {
      endpoint: 'groups',
      children: [{ endpoint: 'groups/{id}/users', dataType: 'users', placeholders: { id: 'id' } }],
    },
  ],
  answer: (url) => json(Number(url.searchParams.get('page')) > 2 ? [] : [{ id: Number(url.searchParams.get('page')) }]),
};

test(
  'totals do not count pages that a log has lost, of children either',
  onServer(family, async (server) => {
    const whole = await runScene(family, server, { to: transactionLog(destination()), store: memoryStore() });
    const to = destination();
    let early: Destination | undefined;
    const before: LogFaults['before'] = ({ job }) => {
      if (job !== 'groups') early ??= copyOf(to);
    };
    const store = failingAfter(4);
    const log = transactionLog(to, { before });
    await rejection(() => runScene(family, server, { to: log, store }), 'ERR_STATE');
    const lost = transactionLog(early ?? destination());
    const resumed = await runScene(family, server, { to: lost, store: memoryStore(store.held), resume: true });
    const counts = ({ jobs }: typeof whole) => jobs.map(({ job, items: count, pages }) => [job, count, pages]);
    assert.equal(counts(resumed), counts(whole));
  }),
);

const queue = (): Sink => ({ name: 'queue', recovery: 'ids', window: 60_000, write() {}, close() {}, abort() {} });

/** Of the run in this state, continued an hour later. */
async function windowNotices(server: Api, { held }: MemoryStore): Promise<readonly string[]> {
  const records = held.records.map((text) => text.replace(/"(time|startedAt)":\d+/g, '"$1":1'));
  const codes: string[] = [];
  const notify = ({ code }: Notice) => void codes.push(code);
  const { guarantee = '' } = await runScene(numbered, server, {
    ...{ to: queue(), store: memoryStore({ ...held, records }), resume: true, notify },
  });
  return [guarantee, ...codes.filter((code) => code === 'window-passed')];
}

test(
  'ids that were forgotten matter before the first record, and no more once all is written',
  onServer(numbered, async (server) => {
    const early = failingAfter(0);
    await rejection(() => runScene(numbered, server, { to: queue(), store: early }), 'ERR_STATE');
    assert.equal(await windowNotices(server, early), ['at least once', 'window-passed']);

    const late = memoryStore();
    const close = () => {
      throw new Error('killed');
    };
    await rejection(() => runScene(numbered, server, { to: { ...queue(), close }, store: late }), 'ERR_SINK');
    assert.equal(await windowNotices(server, late), ['effectively once']);
  }),
);

test(
  'what a log holds is not asked for once all is written: it may have dropped that',
  onServer(numbered, async (server) => {
    const to = destination();
    const store = memoryStore();
    const close = () => {
      to.keeps.clear();
      throw new Error('killed');
    };
    await rejection(() => runScene(numbered, server, { to: transactionLog(to, {}, { close }), store }), 'ERR_SINK');
    const asked = server.requests.length;
    await runScene(numbered, server, { to: transactionLog(to), store: memoryStore(store.held), resume: true });
    assert.equal([to.items, server.requests.length], [fiveItems, asked]);
  }),
);

test(
  'a log that has lost its tail and has no progress gets the lost pages from the beginning on',
  onServer(numbered, async (server) => {
    const to = destination();
    const short = { keepBytes: 80 };
    let early: Destination | undefined;
    const before: LogFaults['before'] = ({ page }) => {
      if (page === 1) early = copyOf(to);
    };
    const store = failingAfter(3);
    const log = transactionLog(to, { before }, short);
    await rejection(() => runScene(numbered, server, { to: log, store }), 'ERR_STATE');
    const lost = early ?? destination();
    await runScene(numbered, server, {
      ...{ to: transactionLog(lost, {}, short), store: memoryStore(store.held), resume: true },
    });
    assert.equal(lost.items, fiveItems);
  }),
);

test(
  'a page whose rows have gone is read again, though the log says where to continue',
  onServer(family, async (server) => {
    const whole = destination();
    await runScene(family, server, { to: transactionLog(whole), store: memoryStore() });
    const to = destination();
    const store = failingAfter(0);
    await rejection(() => runScene(family, server, { to: transactionLog(to), store }), 'ERR_STATE');
    const bare = memoryStore({ records: store.held.records, parts: new Map() });
    await runScene(family, server, { to: transactionLog(to), store: bare, resume: true });
    assert.equal(to.items, whole.items);
  }),
);

test(
  'where a file stands that has a page which a log beside it lost is in the journal',
  onServer(numbered, async (server, dir) => {
    const to = destination();
    let isLost = false;
    const before: LogFaults['before'] = ({ page }) => {
      if (page !== 1 || isLost) return;
      isLost = true;
      throw new Error('no answer');
    };
    const both = () => all([ndjson(dir), transactionLog(to, { before })]);
    const store = failingAfter(2);
    await rejection(() => runScene(numbered, server, { to: both(), store }), 'ERR_STATE');
    await runScene(numbered, server, { to: both(), store: memoryStore(store.held), resume: true });
    assert.equal(to.items, fiveItems);
    assert.equal(filesIn(dir), { 'users.ndjson': fiveItems.map((line) => `${line.slice(6)}\n`).join('') });
  }),
);

test('a page alone is compared with what a log holds of it', () => {
  let version = 'a';
  const scene: Scene = {
    ...{ what: '', api: {}, jobs: [{ endpoint: 'users' }], answer: () => json([{ version }]) },
  };
  return onServer(scene, async (server, dir) => {
    const to = destination();
    const both = () => all([ndjson(dir), transactionLog(to)]);
    const store = failingAfter(0);
    await rejection(() => runScene(scene, server, { to: both(), store }), 'ERR_STATE');
    version = 'b';
    const codes: string[] = [];
    const notify = ({ code }: Notice) => void codes.push(code);
    await runScene(scene, server, { to: both(), store: memoryStore(store.held), resume: true, notify });
    assert.ok(codes.includes('page-changed'));
    assert.equal([to.items, filesIn(dir)], [['users {"version":"a"}'], { 'users.ndjson': '{"version":"b"}\n' }]);
  })();
});

test(
  'totals are those of an unbroken run wherever a log says that the run continues',
  onServer(family, async (server) => {
    const counts = ({ jobs }: Summary) => jobs.map(({ job, items: count, pages }) => [job, count, pages]);
    const whole = await runScene(family, server, { to: transactionLog(destination()), store: memoryStore() });
    for (const records of [0, 1, 2, 3]) {
      const to = destination();
      const store = failingAfter(records);
      await rejection(() => runScene(family, server, { to: transactionLog(to), store }), 'ERR_STATE');
      const resumed = { to: transactionLog(to), store: memoryStore(store.held), resume: true };
      assert.equal(counts(await runScene(family, server, resumed)), counts(whole), `killed behind record ${records}`);
    }
  }),
);

test(
  'each page may be lost a few times: a commit that succeeds ends the count',
  onServer(numbered, async (server) => {
    const to = destination();
    const failed = new Set<number>();
    const before: LogFaults['before'] = ({ page }) => {
      if (failed.has(page)) return;
      failed.add(page);
      throw new Error('no answer');
    };
    await runScene(numbered, server, { to: transactionLog(to, { before }), store: memoryStore() });
    assert.equal([to.items, failed.size], [fiveItems, 5]);
  }),
);

test('a page that changed and has children is not joined with what a log holds of it', () => {
  let more = 0;
  const { answer, ...rest } = family;
  const scene: Scene = {
    ...rest,
    answer: (url, ...others) =>
      more > 0 && url.pathname === '/groups' && url.searchParams.get('page') === '1'
        ? json([{ id: more }])
        : answer(url, ...others),
  };
  return onServer(scene, async (server, dir) => {
    const to = destination();
    const both = () => all([ndjson(dir), transactionLog(to)]);
    const store = failingAfter(0);
    await rejection(() => runScene(scene, server, { to: both(), store }), 'ERR_STATE');
    more = 9;
    const resumed = { to: both(), store: memoryStore(store.held), resume: true };
    await rejection(() => runScene(scene, server, resumed), 'ERR_PAGE_CHANGED', /on-changed-page/);
    assert.equal(to.items, ['groups {"id":1}']);
  })();
});

test.run();
