/** Pages that have changed when a sink that lacks them gets them, and what is promised after that. */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../sinks/contract.js';
import { all } from '../../sinks/decorators/fan-out.js';
import { ndjson } from '../../sinks/files/ndjson.js';
import type { Notice } from '../../src/core/model/notice.js';
import { run } from '../../src/run/extract.js';
import type { RunOptions } from '../../src/run/options.js';
import { failingAfter, type Held, memoryStore } from '../checkpoint/memory-store.js';
import { configurationOf, onServer, type Scene } from '../checkpoint/scenes.js';
import { type Api, json, type Reply } from '../loopback/api.js';
import { filesIn, rejection } from '../sinks/lib.js';
import { copyOf, type Destination, destination, type LogFaults, transactionLog } from '../sinks/transaction-log.js';

const runScene = (scene: Scene, server: Api, options: RunOptions) =>
  run(configurationOf(scene, server.origin), { concurrency: scene.concurrency ?? 1, ...options });

const pagination = { method: 'response.param', responseParam: 'next', queryParam: 'page', includeParams: true };

/** Three pages; each is requested by a cursor of the one before it. An item says its version, page and cursor. */
function cursors() {
  const api = { version: 'a', pages: 3 };
  const scene: Scene = {
    what: '',
    api: { pagination },
    jobs: [{ endpoint: 'users', dataField: 'items' }],
    answer(url): Reply {
      const cursor = url.searchParams.get('page') ?? '1';
      const page = Number.parseInt(cursor, 10);
      const list = page > api.pages ? [] : [`${api.version}${page} by ${cursor}`];
      return json({ items: list, next: page < api.pages ? `${page + 1}${api.version}` : null });
    },
  };
  return { api, scene };
}

const itemsOf = ({ items }: Destination) => items.map((line) => JSON.parse(line.replace(/^\S+ /, '')) as unknown);

/** Runs until the store takes no more; what is in it then. */
async function killed(server: Api, scene: Scene, to: Sink, records: number, before?: Held, options: RunOptions = {}) {
  const store = failingAfter(records, memoryStore(before));
  const resume = before !== undefined;
  await rejection(() => runScene(scene, server, { to, store, resume, ...options }), 'ERR_STATE');
  return store.held;
}

/** A log that dies at the commit of this page, before or after it is applied. */
function dying(to: Destination, page: number, when: 'before' | 'after'): Sink {
  const fail = () => {
    throw new Error('the log is gone');
  };
  let isDead = false;
  const fault: LogFaults['before'] = (end) => {
    isDead = end.page === page;
    if (isDead) fail();
  };
  return transactionLog(to, { [when]: fault, positions: () => (isDead ? fail() : undefined) });
}

test('a lost commit of a changed page is noticed, though the log has another version of that page', () => {
  const { api, scene } = cursors();
  return onServer(scene, async (server, dir) => {
    const to = destination();
    const store = memoryStore(await killed(server, scene, all([ndjson(dir), transactionLog(to)]), 1));
    api.version = 'b';
    let left = 1;
    const before: LogFaults['before'] = ({ page }) => {
      if (page !== 1 || left === 0) return;
      left -= 1;
      throw new Error('no answer');
    };
    const both = all([ndjson(dir), transactionLog(to, { before })]);
    await runScene(scene, server, { to: both, store, resume: true, onChangedPage: 'again' });
    assert.equal(itemsOf(to), ['a1 by 1', 'a2 by 2a', 'b2 by 2a', 'b3 by 3b']);
  })();
});

/** One log has page 1 in version a, the other in version b; the journal has page 0. */
async function split(server: Api, scene: Scene, api: { version: string }) {
  const [one, other] = [destination(), destination()];
  const store = memoryStore();
  const first = all([transactionLog(one), dying(other, 1, 'before')]);
  await rejection(() => runScene(scene, server, { to: first, store }), 'ERR_SINK');
  api.version = 'b';
  const state = memoryStore(store.held);
  const second = { to: all([dying(one, 1, 'before'), transactionLog(other)]), store: state, resume: true };
  await rejection(() => runScene(scene, server, { ...second, onChangedPage: 'again' }), 'ERR_SINK');
  assert.equal(
    [itemsOf(one), itemsOf(other)],
    [
      ['a1 by 1', 'a2 by 2a'],
      ['a1 by 1', 'b2 by 2a'],
    ],
  );
  return { one, other, held: state.held };
}

test('two logs with different versions of one page: it is requested again, and each has a path', () => {
  const { api, scene } = cursors();
  return onServer(scene, async (server) => {
    const { one, other, held } = await split(server, scene, api);
    const to = all([transactionLog(one), transactionLog(other)]);
    const fail = { to, store: memoryStore(held), resume: true };
    await rejection(() => runScene(scene, server, fail), 'ERR_PAGE_CHANGED');
    await runScene(scene, server, { ...fail, store: memoryStore(held), onChangedPage: 'again' });
    assert.equal(itemsOf(one), ['a1 by 1', 'a2 by 2a', 'b2 by 2a', 'b3 by 3b']);
    assert.equal(itemsOf(other), ['a1 by 1', 'b2 by 2a', 'b3 by 3b']);
  })();
});

test('a log that has lost the new version of a page continues after its own, or is refused if the journal is past it', () => {
  const { api, scene } = cursors();
  return onServer(scene, async (server) => {
    const { one, other, held } = await split(server, scene, api);
    const early = copyOf(one);
    const to = all([transactionLog(one), transactionLog(other)]);
    const after = await killed(server, scene, to, 1, held, { onChangedPage: 'again' });
    const both = () => all([transactionLog(early), transactionLog(other)]);
    const again = { resume: true, onChangedPage: 'again' } as const;
    const saved = { ...after, records: [...after.records, JSON.stringify({ type: 'sync', count: 2 })] };
    const work = () => runScene(scene, server, { to: both(), store: memoryStore(saved), ...again });
    await rejection(work, 'ERR_RESUME', /different versions of a page of job "users"/);
    assert.equal(itemsOf(early), ['a1 by 1', 'a2 by 2a']);
    await runScene(scene, server, { to: both(), store: memoryStore(after), ...again });
    assert.equal(itemsOf(early), ['a1 by 1', 'a2 by 2a', 'b3 by 3a']);
    assert.equal(itemsOf(other), ['a1 by 1', 'b2 by 2a', 'b3 by 3b']);
  })();
});

test('versions of a numbered page that a log and the journal have need no common content', () => {
  const api = { version: 'a' };
  const scene: Scene = {
    what: '',
    api: { pagination: { method: 'pagenum' } },
    jobs: [{ endpoint: 'users' }],
    answer: (url) => json(Number(url.searchParams.get('page')) > 3 ? [] : [api.version + url.searchParams.get('page')]),
  };
  return onServer(scene, async (server, dir) => {
    const to = destination();
    const both = () => all([ndjson(dir), transactionLog(to)]);
    const first = await killed(server, scene, both(), 1);
    api.version = 'b';
    const second = await killed(server, scene, both(), 1, first);
    await runScene(scene, server, { to: both(), store: memoryStore(second), resume: true });
    assert.equal(itemsOf(to), ['a1', 'a2', 'b3']);
    assert.is(filesIn(dir)['users.ndjson'], '"a1"\n"b2"\n"b3"\n');
  })();
});

test('a log that is more than one page ahead gets all of them again, since only the last could be compared', () => {
  const { api, scene } = cursors();
  api.pages = 4;
  return onServer(scene, async (server, dir) => {
    const to = destination();
    const both = () => all([ndjson(dir), transactionLog(to)]);
    const { records, parts } = await killed(server, scene, both(), 2);
    const power = { records: records.slice(0, 2), parts };
    api.version = 'b';
    const options = { to: both(), store: memoryStore(power), resume: true } as const;
    await rejection(() => runScene(scene, server, options), 'ERR_PAGE_CHANGED');
    const again = { ...options, to: both(), store: memoryStore(power), onChangedPage: 'again' } as const;
    const { guarantee } = await runScene(scene, server, again);
    assert.equal(itemsOf(to), ['a1 by 1', 'a2 by 2a', 'a3 by 3a', 'b2 by 2a', 'b3 by 3b', 'b4 by 4b']);
    assert.is(filesIn(dir)['users.ndjson'], '"a1 by 1"\n"b2 by 2a"\n"b3 by 3b"\n"b4 by 4b"\n');
    assert.is(guarantee, 'at least once');
  })();
});

test('a sink that got items twice promises no more in any later summary of the run', () => {
  const { api, scene } = cursors();
  return onServer(scene, async (server, dir) => {
    for (const isPowerCut of [false, true]) {
      const out = join(dir, String(isPowerCut));
      const to = destination();
      const both = () => all([ndjson(out), transactionLog(to)]);
      api.version = 'a';
      const first = await killed(server, scene, both(), 1);
      api.version = 'b';
      const second = await killed(server, scene, both(), 1, first, { onChangedPage: 'again' });
      // A power cut loses the page, but not this.
      if (isPowerCut) truncateSync(join(out, 'users.ndjson.partial'), '"a1 by 1"\n'.length);
      const store = memoryStore(second);
      for (const what of ['resumed', 'complete']) {
        const { guarantee, sinks } = await runScene(scene, server, { to: both(), store, resume: 'only' });
        const each = sinks?.map((sink) => sink.guarantee);
        assert.equal([guarantee, each], ['at least once', ['exactly once', 'at least once']], what);
      }
    }
  })();
});

test('a log that was sent all pages again promises no more, though the journal has none of them yet', () => {
  const { api, scene } = cursors();
  return onServer(scene, async (server, dir) => {
    const to = destination();
    const both = () => all([ndjson(dir), transactionLog(to)]);
    const { records, parts } = await killed(server, scene, both(), 2);
    const power = { records: records.slice(0, 1), parts };
    api.version = 'b';
    const state = await killed(server, scene, both(), 0, power, { onChangedPage: 'again' });
    const { guarantee } = await runScene(scene, server, { to: both(), store: memoryStore(state), resume: true });
    assert.equal(itemsOf(to), ['a1 by 1', 'a2 by 2a', 'a3 by 3a', 'b1 by 1', 'b2 by 2b', 'b3 by 3b']);
    assert.is(guarantee, 'at least once');
  })();
});

test('a destination that may have forgotten ids promises no more after a second resume', () => {
  const { scene } = cursors();
  return onServer(scene, async (server) => {
    const queue: Sink = { recovery: 'ids', window: 60_000, write() {}, close() {}, abort() {} };
    const { records, parts } = await killed(server, scene, queue, 1);
    const late = { records: records.map((text) => text.replace(/"time":\d+/g, '"time":1')), parts };
    const state = await killed(server, scene, queue, 1, late);
    const { guarantee } = await runScene(scene, server, { to: queue, store: memoryStore(state), resume: true });
    assert.is(guarantee, 'at least once');
  })();
});

test('a journal that fails at its last record fails the run as a state that cannot be written', () => {
  const { scene } = cursors();
  return onServer(scene, async (server) => {
    await killed(server, scene, all([transactionLog(destination()), transactionLog(destination())]), 3);
  })();
});

const child = { endpoint: 'groups/{id}', dataType: 'users', dataField: 'items', placeholders: { id: 'id' } };

/**
 * Three groups, whose users are requested side by side. Each has two pages, the second without items: that of the first
 * group is answered when the third group has been requested, so the pages of the others are read before their turn.
 */
function family() {
  const api = { version: 'a' };
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const scene: Scene = {
    what: '',
    api: { pagination },
    concurrency: 3,
    jobs: [{ endpoint: 'groups', dataField: 'items', children: [child] }],
    answer(url): Reply {
      if (url.pathname === '/groups') return json({ items: [{ id: 1 }, { id: 2 }, { id: 3 }] });
      const id = url.pathname.slice('/groups/'.length);
      const isSecond = url.searchParams.has('page');
      if (id === '3' && isSecond) open();
      if (!isSecond) return json({ items: [{ v: `${api.version}${id}` }], next: api.version });
      const last = json({ items: [] });
      const later: Reply['body'] = async (response) => {
        await gate;
        response.end('{"items": []}');
      };
      return id === '1' ? { ...last, body: later } : last;
    },
  };
  return { api, scene };
}

const usersOf = (lines: readonly string[]) =>
  lines.flatMap((line) => (/^users /.test(line) ? [JSON.parse(line.slice(6)).v] : []));
const usersIn = (dir: string) =>
  usersOf(
    (filesIn(dir)['users.ndjson'] ?? '')
      .trim()
      .split('\n')
      .map((line) => `users ${line}`),
  );

test('a page that was read before its turn is written again from its buffer if a log has lost it', () => {
  const { scene } = family();
  return onServer(scene, async (server, dir) => {
    const to = destination();
    const failed: string[] = [];
    const before: LogFaults['before'] = ({ walk }) => {
      if (!walk.includes('/') || failed.filter((each) => each === walk).length === 3) return;
      failed.push(walk);
      throw new Error('no answer');
    };
    const both = all([ndjson(dir), transactionLog(to, { before })]);
    await runScene(scene, server, { to: both, store: memoryStore() });
    assert.equal(
      [usersOf(to.items), usersIn(dir)],
      [
        ['a1', 'a2', 'a3'],
        ['a1', 'a2', 'a3'],
      ],
    );
    assert.is(failed.length, 9);
    assert.ok(server.requests.length < 7 + failed.length, 'every lost page was requested again');
  })();
});

test('a page that was read before its turn and is lost each time fails the run with the cause', () => {
  const { scene } = family();
  return onServer(scene, async (server) => {
    const before: LogFaults['before'] = ({ walk }) => {
      if (walk.endsWith('.1.0')) throw new Error('no answer');
    };
    const log = transactionLog(destination(), { before });
    await rejection(() => runScene(scene, server, { to: log, store: memoryStore() }), 'ERR_SINK', /no answer/);
  })();
});

test('a page that was read before its turn and has changed is sent again from its buffer', () => {
  const { api, scene } = family();
  return onServer(scene, async (server, dir) => {
    const to = destination();
    const both = () => all([ndjson(dir), transactionLog(to)]);
    const { records, parts } = await killed(server, scene, both(), 3);
    assert.equal(usersOf(to.items), ['a1', 'a2']);
    api.version = 'b';
    // The journal has lost the empty page of the first group, the log has the page of the second.
    const store = memoryStore({ records: records.slice(0, 3), parts });
    await runScene(scene, server, { to: both(), store, resume: true, onChangedPage: 'again' });
    assert.equal(
      [usersOf(to.items), usersIn(dir)],
      [
        ['a1', 'a2', 'b2', 'b3'],
        ['a1', 'b2', 'b3'],
      ],
    );
  })();
});

test('a limit that ends a job before the pages that a log has is no change', () => {
  const { scene } = cursors();
  return onServer(scene, async (server, dir) => {
    for (const [what, limit, config] of [
      ['maxDuration', { maxDuration: 1 }, scene],
      ['forceStop', {}, { ...scene, api: { pagination: { ...pagination, forceStop: { time: '1 second' } } } }],
    ] as const) {
      const to = destination();
      const out = join(dir, what);
      const both = () => all([ndjson(out), transactionLog(to)]);
      const { records, parts } = await killed(server, config, both(), 2);
      const long = records.slice(0, 2).map((text) => text.replace(/"startedAt":\d+/g, '"startedAt":1'));
      const codes: string[] = [];
      const notify = ({ code }: Notice) => void codes.push(code);
      const options = { to: both(), store: memoryStore({ records: long, parts }), resume: true, notify, ...limit };
      const { jobs, guarantee } = await runScene(config, server, options);
      assert.match(jobs[0]?.stop ?? '', what);
      assert.equal([guarantee, codes.includes('page-changed')], ['exactly once', false]);
      assert.is(filesIn(out)['users.ndjson'], '"a1 by 1"\n"a2 by 2a"\n');
      assert.is(to.items.length, 3);
    }
  })();
});

test('a log that has a job to its end needs no request, and keeps that end if the job has fewer pages now', () => {
  const { api, scene } = cursors();
  return onServer(scene, async (server, dir) => {
    const alone = destination();
    const ended = await killed(server, scene, transactionLog(alone), 2);
    const asked = server.requests.length;
    await runScene(scene, server, { to: transactionLog(alone), store: memoryStore(ended), resume: true });
    assert.equal([itemsOf(alone).length, server.requests.length], [3, asked]);

    const to = destination();
    const both = () => all([ndjson(dir), transactionLog(to)]);
    const state = await killed(server, scene, both(), 2);
    api.pages = 2;
    const codes: string[] = [];
    const notify = ({ code }: Notice) => void codes.push(code);
    const { guarantee } = await runScene(scene, server, {
      to: both(),
      store: memoryStore(state),
      resume: true,
      notify,
    });
    assert.equal([guarantee, codes.includes('page-changed')], ['exactly once', true]);
    assert.is(filesIn(dir)['users.ndjson'], '"a1 by 1"\n"a2 by 2a"\n');
  })();
});

test.run();
