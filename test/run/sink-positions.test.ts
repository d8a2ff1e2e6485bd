/** Sinks that hold what they have got: a crash at any moment, commits without an answer, and pages that changed. */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { all } from '../../sinks/decorators/fan-out.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { failingAfter, memoryStore } from '../checkpoint/memory-store.js';
import { configurationOf, onServer, type Scene, scenes, secret, token } from '../checkpoint/scenes.js';
import { type Api, items, json, type Reply } from '../loopback/api.js';
import { filesIn, rejection } from '../sinks/lib.js';
import { copyOf, type Destination, destination, type LogFaults, transactionLog } from '../sinks/transaction-log.js';

const runScene = (scene: Scene, server: Api, options: RunOptions) =>
  run(configurationOf(scene, server.origin), { ...options, concurrency: scene.concurrency ?? 1 });

const askedOf = (scene: Scene, { requests }: Api, from: number) =>
  requests.slice(from).filter(({ target }) => scene.isFree?.(target) !== true).length;

for (const scene of scenes) {
  test(
    `a log is written exactly once, killed behind any commit: ${scene.what}`,
    onServer(scene, async (server) => {
      const whole = destination();
      const { jobs } = await runScene(scene, server, { to: transactionLog(whole), store: memoryStore() });
      const requests = askedOf(scene, server, 0);
      const keeps = [...whole.keeps.values()].join('');
      for (const hidden of [secret, token]) assert.not.ok(keeps.includes(hidden), 'a secret was handed out');
      for (let records = 0; ; records += scene.stride ?? 1) {
        const to = destination();
        const store = failingAfter(records);
        const start = server.requests.length;
        const first = await runScene(scene, server, { to: transactionLog(to), store }).catch(() => undefined);
        if (first !== undefined) break;
        const state = memoryStore(store.held);
        const summary = await runScene(scene, server, { to: transactionLog(to), store: state, resume: true });
        assert.is(summary.guarantee, 'exactly once');
        assert.equal([...to.items].sort(), [...whole.items].sort(), `killed behind record ${records}`);
        if (scene.concurrency === undefined) assert.equal(to.items, whole.items);
        const counts = (all: typeof jobs) => all.map((job) => [job.job, job.items, job.pages]);
        assert.equal(counts(summary.jobs), counts(jobs), `killed behind record ${records}`);
        // Pages of a window that was not complete are not written: all of them are asked for again.
        if (scene.concurrency === undefined && scene.discards !== true) {
          const again = askedOf(scene, server, start) - requests;
          assert.ok(again <= 1, `${again} pages were requested again`);
        }
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
    return json(page > 4 ? [] : items(page * 2, 2));
  },
};
const allItems = items(2, 8).map((item) => `users ${JSON.stringify(item)}`);
const targets = ({ requests }: Api, from = 0) =>
  requests.slice(from).map(({ target }) => target.replace(/.*page=/, ''));

/** Fails at the commit of that page, once. */
function once(page: number, isDead = false): () => LogFaults['before'] {
  let left = 1;
  return () => (end) => {
    if (end.page !== page || left === 0) return;
    left = isDead ? 1 : 0;
    throw new Error('no answer');
  };
}

test(
  'a commit without an answer that was applied is not sent again',
  onServer(numbered, async (server) => {
    const to = destination();
    const fault = once(1)();
    await runScene(numbered, server, { to: transactionLog(to, fault ? { after: fault } : {}), store: memoryStore() });
    assert.equal(to.items, allItems);
    assert.equal(targets(server), ['1', '2', '3', '4', '5']);
  }),
);

test(
  'a commit that was lost is sent again, with the page read again',
  onServer(numbered, async (server) => {
    const to = destination();
    const fault = once(1)();
    const log = transactionLog(to, fault ? { before: fault } : {});
    const { jobs } = await runScene(numbered, server, { to: log, store: memoryStore() });
    assert.equal(to.items, allItems);
    assert.equal(targets(server), ['1', '2', '2', '3', '4', '5']);
    assert.equal(
      jobs.map(({ requests, pages, items: count }) => [requests, pages, count]),
      [[6, 5, 8]],
    );
  }),
);

test(
  'a commit that is lost each time fails the run, and a resume continues there',
  onServer(numbered, async (server) => {
    const to = destination();
    const fault = once(1, true)();
    const store = memoryStore();
    const work = () => runScene(numbered, server, { to: transactionLog(to, fault ? { before: fault } : {}), store });
    await rejection(work, 'ERR_SINK', /no answer/);
    assert.equal(targets(server), ['1', '2', '2', '2', '2']);
    await runScene(numbered, server, { to: transactionLog(to), store: memoryStore(store.held), resume: true });
    assert.equal(to.items, allItems);
  }),
);

test(
  'a destination that cannot say what it holds fails the run',
  onServer(numbered, async (server) => {
    const dead = () => {
      throw new Error('it is gone');
    };
    const fault = once(1)();
    const log = transactionLog(destination(), { ...(fault ? { before: fault } : {}), positions: dead });
    // At the beginning of a fresh run nothing is asked.
    await rejection(() => runScene(numbered, server, { to: log, store: memoryStore() }), 'ERR_SINK', /no answer/);
  }),
);

test(
  'without a state a commit that fails fails the run',
  onServer(numbered, async (server) => {
    const fault = once(0)();
    const log = transactionLog(destination(), fault ? { before: fault } : {});
    await rejection(() => runScene(numbered, server, { to: log }), 'ERR_SINK', /no answer/);
  }),
);

/** Runs until the store takes no more; what is in it then. */
async function killed(server: Api, scene: Scene, to: Sink, records: number, options: RunOptions = {}) {
  const store = failingAfter(records);
  await rejection(() => runScene(scene, server, { to, store, ...options }), 'ERR_STATE');
  return memoryStore(store.held);
}

test(
  'a destination that has lost its last pages gets them again, and one that has lost all is refused',
  onServer(numbered, async (server) => {
    const to = destination();
    let early: Destination | undefined;
    const before: LogFaults['before'] = ({ page }) => {
      if (page === 1) early = copyOf(to);
    };
    const store = await killed(server, numbered, transactionLog(to, { before }), 3);
    const start = server.requests.length;
    const lost = early ?? destination();
    await runScene(numbered, server, { to: transactionLog(lost), store: memoryStore(store.held), resume: true });
    assert.equal(lost.items, allItems);
    assert.equal(targets(server, start), ['2', '3', '4', '5']);

    const none = transactionLog(destination());
    const work = () => runScene(numbered, server, { to: none, store: memoryStore(store.held), resume: true });
    await rejection(work, 'ERR_RESUME', /holds no page of job "users", but was given 3/);
  }),
);

test(
  'without its progress the page is read again, and the log gets it once',
  onServer(numbered, async (server) => {
    const to = destination();
    const short = { keepBytes: 80 };
    const store = await killed(server, numbered, transactionLog(to, {}, short), 1);
    const start = server.requests.length;
    await runScene(numbered, server, { to: transactionLog(to, {}, short), store, resume: true });
    assert.equal(to.items, allItems);
    assert.equal(targets(server, start), ['2', '3', '4', '5']);
  }),
);

test(
  'a file beside a log gets the page that the log has already, and both have all once',
  onServer(numbered, async (server, dir) => {
    for (const records of [0, 1, 2, 3]) {
      const to = destination();
      const out = join(dir, String(records));
      const both = () => all([ndjson(out), transactionLog(to)]);
      const store = await killed(server, numbered, both(), records);
      const summary = await runScene(numbered, server, { to: both(), store, resume: true });
      assert.equal(to.items, allItems);
      assert.equal(filesIn(out), { 'users.ndjson': allItems.map((line) => `${line.slice(6)}\n`).join('') });
      assert.equal(summary.sinks, [
        { name: `ndjson:${out}`, guarantee: 'exactly once' },
        { name: 'log', guarantee: 'exactly once' },
      ]);
    }
  }),
);

test(
  'a file beside a log whose commit is lost has the page once, and keeps its place',
  onServer(numbered, async (server, dir) => {
    const to = destination();
    const fault = once(1)();
    const both = all([ndjson(dir), transactionLog(to, fault ? { before: fault } : {})]);
    const store = memoryStore();
    await runScene(numbered, server, { to: both, store });
    assert.equal(to.items, allItems);
    assert.equal(filesIn(dir), { 'users.ndjson': allItems.map((line) => `${line.slice(6)}\n`).join('') });
  }),
);

/** Pages that are asked for by their number, or by what the page before them said; both change between two runs. */
function changing(isNumbered: boolean) {
  const api = { version: 'a' };
  const scene: Scene = {
    what: '',
    api: {
      pagination: isNumbered
        ? { method: 'pagenum' }
        : { method: 'response.param', responseParam: 'next', queryParam: 'page', includeParams: true },
    },
    jobs: [{ endpoint: 'users', dataField: 'items' }],
    answer(url): Reply {
      const text = url.searchParams.get('page') ?? '1';
      const page = Number.parseInt(text, 10);
      const list = page > 3 ? [] : [`${api.version}${page}`];
      return json({ items: list, next: page < 3 ? `${page + 1}${api.version}` : null });
    },
  };
  return { api, scene };
}

const changedPages: readonly (readonly [isNumbered: boolean, rule: 'fail' | 'again', log: string[] | string])[] = [
  [true, 'fail', ['a1', 'a2', 'b3']],
  [false, 'fail', 'ERR_PAGE_CHANGED'],
  [false, 'again', ['a1', 'a2', 'b2', 'b3']],
];

for (const [isNumbered, onChangedPage, expected] of changedPages) {
  const what = isNumbered ? 'asked for by number' : 'with a cursor of its own';
  test(`a page ${what} that changed, which a log holds beside a file: ${onChangedPage}`, () => {
    const { api, scene } = changing(isNumbered);
    return onServer(scene, async (server, dir) => {
      const to = destination();
      const both = () => all([ndjson(dir), transactionLog(to)]);
      const store = await killed(server, scene, both(), 1);
      api.version = 'b';
      const notices: Notice[] = [];
      const notify = (notice: Notice) => void notices.push(notice);
      const options = { to: both(), store, resume: true, onChangedPage, notify };
      if (typeof expected === 'string') {
        const error = await rejection(() => runScene(scene, server, options), 'ERR_PAGE_CHANGED', /on-changed-page/);
        assert.equal([error.where.job, error.where.page], ['users', 1]);
        return;
      }
      const { guarantee, sinks } = await runScene(scene, server, options);
      const itemsOf = (lines: readonly string[]) => lines.map((line) => JSON.parse(line.replace('users ', '')));
      assert.equal(itemsOf(to.items), expected);
      assert.is(filesIn(dir)['users.ndjson'], '"a1"\n"b2"\n"b3"\n');
      assert.equal(
        notices.map(({ code }) => code).filter((code) => code === 'page-changed'),
        ['page-changed'],
      );
      const promised = onChangedPage === 'again' ? 'at least once' : 'exactly once';
      assert.equal([guarantee, sinks?.map((each) => each.guarantee)], [promised, ['exactly once', promised]]);
    })();
  });
}

test('a log alone does not notice a page that changed: it continues after the one that it has', () => {
  const { api, scene } = changing(false);
  return onServer(scene, async (server) => {
    const to = destination();
    const store = await killed(server, scene, transactionLog(to), 1);
    api.version = 'b';
    await runScene(scene, server, { to: transactionLog(to), store, resume: true });
    assert.equal(to.items, ['users "a1"', 'users "a2"', 'users "b3"']);
  })();
});

for (const rule of ['fail', 'again'] as const) {
  test(`a walk that ends before what a log holds: ${rule}`, () => {
    let pages = 3;
    const scene: Scene = {
      ...numbered,
      answer: (url) => json(Number(url.searchParams.get('page')) > pages ? [] : [{ id: url.searchParams.get('page') }]),
    };
    return onServer(scene, async (server, dir) => {
      const to = destination();
      const both = () => all([ndjson(dir), transactionLog(to)]);
      const store = await killed(server, scene, both(), 2);
      pages = 2;
      const options = { to: both(), store, resume: true, onChangedPage: rule };
      if (rule === 'fail') {
        await rejection(
          () => runScene(scene, server, options),
          'ERR_PAGE_CHANGED',
          /has 3 pages with items of job "users"/,
        );
        return;
      }
      const { guarantee } = await runScene(scene, server, options);
      assert.is(guarantee, 'at least once');
    })();
  });
}

test('a page whose commit was lost and that has no items by then passes its turn on', () => {
  let isEmpty = false;
  const scene: Scene = {
    what: '',
    api: {},
    jobs: [
      { endpoint: 'one', dataType: 'people' },
      { endpoint: 'two', dataType: 'people' },
    ],
    answer: (url) => json(isEmpty && url.pathname === '/one' ? [] : [{ of: url.pathname }]),
  };
  return onServer(scene, async (server) => {
    const to = destination();
    let left = 1;
    const before: LogFaults['before'] = ({ walk }) => {
      if (walk !== '0' || left === 0) return;
      left = 0;
      isEmpty = true;
      throw new Error('no answer');
    };
    await runScene({ ...scene, concurrency: 2 }, server, { to: transactionLog(to, { before }), store: memoryStore() });
    assert.equal(to.items, ['people {"of":"/two"}']);
  })();
});

test('beside a sink that cannot roll back, a changed page is committed once and sent again to the log', () => {
  const { api, scene } = changing(false);
  return onServer(scene, async (server) => {
    const to = destination();
    const got: string[] = [];
    const queue: Sink = {
      name: 'queue',
      write: ({ bytes }) => void got.push(Buffer.from(bytes).toString().trim()),
      commit: ({ page }) => void got.push(`commit ${page}`),
      close() {},
      abort() {},
    };
    const both = () => all([queue, transactionLog(to)]);
    const store = await killed(server, scene, both(), 1);
    api.version = 'b';
    got.length = 0;
    await runScene(scene, server, { to: both(), store, resume: true, onChangedPage: 'again' });
    assert.equal(got, ['"b2"', 'commit 1', '"b3"', 'commit 2']);
    assert.equal(to.items, ['users "a1"', 'users "a2"', 'users "b2"', 'users "b3"']);
  })();
});

test(
  'an older process is fenced once the run was resumed',
  onServer(numbered, async (server) => {
    const to = destination();
    const zombie = transactionLog(to);
    const store = await killed(server, numbered, zombie, 1);
    await runScene(numbered, server, { to: transactionLog(to), store, resume: true });
    const [key = ''] = to.keeps.keys();
    const [id = '', lane = ''] = key.split(' ');
    const end = { run: id, walk: '0', page: 9, job: 'users', dataType: 'users', count: 1, bytes: 1, lane };
    assert.throws(() => zombie.commit?.(end, new AbortController().signal), /fenced/);
  }),
);

test(
  'ids that were forgotten since the last page protect no more: a warning, and at least once',
  onServer(numbered, async (server) => {
    const sink = (window: number): Sink => ({
      name: 'queue',
      recovery: 'ids',
      window,
      write() {},
      close() {},
      abort() {},
    });
    const store = await killed(server, numbered, sink(60_000), 2);
    const records = store.held.records.map((text) => text.replace(/"time":\d+/g, '"time":1'));
    const codes: string[] = [];
    const notify = ({ code }: Notice) => void codes.push(code);
    const late = { to: sink(60_000), store: memoryStore({ ...store.held, records }), resume: true, notify };
    assert.is((await runScene(numbered, server, late)).guarantee, 'at least once');
    assert.ok(codes.includes('window-passed'));
    const early = { to: sink(60_000), store: memoryStore(store.held), resume: true };
    assert.is((await runScene(numbered, server, early)).guarantee, 'effectively once');
  }),
);

test.run();
