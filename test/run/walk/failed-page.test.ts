/** `onError`: requests that fail and are left out, and the run that sends them again. docs/04-child-jobs.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type MemorySink, memory, ndjson } from '../../../sinks/index.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { run } from '../../../src/run/extract.js';
import type { RunOptions } from '../../../src/run/options.js';
import { memoryStore } from '../../checkpoint/memory-store.js';
import { type Api, items, json, type Reply, startApi } from '../../loopback/api.js';
import { filesIn, inFolder, rejection } from '../../sinks/lib.js';
import { unchecked } from '../../unchecked.js';

const valuesIn = ({ batches }: MemorySink): readonly unknown[] => batches.flatMap((batch) => batch.values());

interface World {
  /** What fails, by path with its query: the status. */
  readonly fails: Map<string, number>;
  readonly api: Api;
}

/** Ten parents with two pages of details each, and a note for each detail. */
async function inWorld(use: (world: World) => Promise<void>, answer?: (target: string) => Reply | undefined) {
  const fails = new Map<string, number>();
  const api = await startApi(({ target }) => {
    const own = answer?.(target);
    if (own !== undefined) return own;
    const status = fails.get(target);
    if (status !== undefined) return { status, body: `no ${target}` };
    const { pathname, searchParams } = new URL(target, 'http://x');
    const page = Number(searchParams.get('page'));
    const owner = Number(/\d+/.exec(pathname)?.[0] ?? 0);
    if (target === '/details/3') return json({ name: 'x' });
    if (pathname === '/parents') return json(page === 1 ? items(1, 10) : []);
    if (pathname.startsWith('/notes')) return json(page === 1 ? [{ note: pathname }] : []);
    return json(page < 3 ? items(owner * 10 + page, 1) : []);
  });
  try {
    await use({ fails, api });
  } finally {
    await api.close();
  }
}

const notes = { endpoint: 'notes/{top}/{id}', dataType: 'notes', placeholders: { id: 'id', '2:top': 'id' } };
const details = { endpoint: 'details/{id}', dataType: 'details', placeholders: { id: 'id' } };

const configOf = ({ api }: World, onError: unknown, child: object = details, more: object = {}) =>
  unchecked({
    api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum' }, retryConfig: { maxRetries: 0 }, ...more },
    config: { jobs: [{ endpoint: 'parents', dataType: 'parents', children: [{ onError, ...child }] }] },
  });

const withNotes = { ...details, children: [{ ...notes, endpoint: 'notes/{2:top}/{id}' }] };

async function pull(world: World, onError: unknown, options: RunOptions = {}, child?: object, more?: object) {
  const notices: Notice[] = [];
  const to = memory();
  const notify = (notice: Notice) => void notices.push(notice);
  const summary = await run(configOf(world, onError, child, more), { to, notify, ...options });
  return { items: valuesIn(to), notices, summary, jobs: new Map(summary.jobs.map((job) => [job.job, job])) };
}

const sorted = (all: readonly unknown[]) => all.map((each) => JSON.stringify(each)).sort();

test('a child that fails is left out, counted and listed with status and place', () =>
  inWorld(async (world) => {
    world.fails.set('/details/3?page=1', 403).set('/details/7?page=2', 404);
    const { jobs, notices, items: all } = await pull(world, 'skip');
    const own = jobs.get('details');
    assert.is(own?.skipped, 2);
    assert.equal(
      own?.skips?.map(({ status, code, page, request }) => [status, code, page, request.replace(/http.*:\d+/, '')]),
      [
        [403, 'ERR_STATUS', 0, 'GET /details/3?page=1'],
        [404, 'ERR_STATUS', 1, 'GET /details/7?page=2'],
      ],
    );
    assert.is(own?.items, 17);
    assert.is(all.length, 10 + 17);
    assert.is(jobs.get('parents')?.skipped, undefined);
    assert.is(notices.filter(({ code }) => code === 'request-skipped').length, 2);
  }));

test('with concurrency, the failures are listed in order', () =>
  inWorld(async (world) => {
    for (const id of [2, 4, 9]) world.fails.set(`/details/${id}?page=1`, 410);
    const { jobs } = await pull(world, { 410: 'skip' }, { concurrency: 4 });
    const ids = jobs.get('details')?.skips?.map(({ request }) => /\d+\?/.exec(request)?.[0]);
    assert.equal(ids, ['2?', '4?', '9?']);
  }));

test('a status that has no rule, and one with "fail", fail the run', () =>
  inWorld(async (world) => {
    world.fails.set('/details/3?page=1', 403);
    await rejection(pull(world, { 404: 'skip' }), 'ERR_STATUS', /403/);
    await rejection(pull(world, { 403: 'fail', default: 'skip' }), 'ERR_STATUS', /403/);
    await rejection(pull(world, 'fail'), 'ERR_STATUS', /403/);
  }));

test('401 is left out by its number only', () =>
  inWorld(async (world) => {
    world.fails.set('/details/3?page=1', 401);
    await rejection(pull(world, 'skip'), 'ERR_STATUS', /401/);
    assert.is((await pull(world, { 401: 'skip' })).jobs.get('details')?.skipped, 1);
  }));

test('more failures than max fail the run, also over a resume', () =>
  inWorld(async (world) => {
    for (const id of [2, 4, 9]) world.fails.set(`/details/${id}?page=1`, 404);
    const rule = { 404: 'skip', max: 2 };
    const store = memoryStore();
    await rejection(pull(world, rule, { store }), 'ERR_STATUS', /2 requests of this job are left out already/);
    await rejection(pull(world, rule, { store, resume: true }), 'ERR_STATUS', /onError\.max/);
    const { jobs } = await pull(world, { 404: 'skip', max: 3 }, { store, resume: true });
    assert.is(jobs.get('details')?.skipped, 3);
    assert.is(jobs.get('details')?.skips?.length, 3);
  }));

test('a response that a rule calls a failure is left out by default; a rejected login is not', () => {
  const answer = (target: string) => (target === '/details/5?page=1' ? json({ error: 'x' }) : undefined);
  const rules = (then: string) => ({ responseRules: [{ when: { path: 'error', equals: 'x' }, then }] });
  return inWorld(async (world) => {
    const { jobs } = await pull(world, 'skip', {}, details, rules('fail'));
    assert.equal(
      jobs.get('details')?.skips?.map(({ code, status }) => [code, status]),
      [['ERR_RESPONSE', undefined]],
    );
    await rejection(pull(world, 'skip', {}, details, rules('login')), 'ERR_RESPONSE');
  }, answer);
});

test('a login that fails is never left out', () =>
  inWorld(
    async (world) => {
      const authentication = { type: 'login', loginRequest: { endpoint: 'login' }, apiRequest: {} };
      await rejection(pull(world, 'skip', {}, details, { authentication }), 'ERR_STATUS', /login/);
    },
    (target) => (target === '/login' ? { status: 403, body: 'no' } : undefined),
  ));

test('an output whose requests all failed keeps the items of an earlier run', () =>
  inWorld(async (world) => {
    await inFolder(async (dir) => {
      await run(configOf(world, 'skip'), { to: ndjson(dir) });
      const before = filesIn(dir)['details.ndjson'];
      for (let id = 1; id <= 10; id++) world.fails.set(`/details/${id}?page=1`, 404);
      await run(configOf(world, 'skip'), { to: ndjson(dir) });
      assert.is(filesIn(dir)['details.ndjson'], before);
    })();
  }));

test('requests that failed are sent again, and no others: their walks go on there', () =>
  inWorld(async (world) => {
    const whole = await pull(world, 'skip', {}, withNotes);
    world.fails.set('/details/3?page=1', 403).set('/details/7?page=2', 404).set('/details/9?page=1', 404);
    const store = memoryStore();
    const first = await pull(world, 'skip', { store }, withNotes);
    world.fails.delete('/details/3?page=1');
    world.fails.delete('/details/7?page=2');
    const start = world.api.requests.length;
    const second = await pull(world, 'skip', { store, resume: 'failed' }, withNotes);
    const sent = world.api.requests.slice(start).map(({ target }) => target);
    assert.equal(
      sent.filter((target) => !target.startsWith('/notes')),
      [
        '/details/3?page=1',
        '/details/3?page=2',
        '/details/3?page=3',
        '/details/7?page=2',
        '/details/7?page=3',
        '/details/9?page=1',
      ],
    );
    assert.is(second.jobs.get('details')?.skipped, 1);
    world.fails.clear();
    const third = await pull(world, 'skip', { store, resume: 'failed' }, withNotes);
    assert.equal(sorted([...first.items, ...second.items, ...third.items]), sorted(whole.items));
    const last = await pull(world, 'skip', { store, resume: 'failed' }, withNotes);
    assert.is(last.summary.ran, false);
    assert.match(String(last.notices.find(({ code }) => code === 'already-done')?.message), /no request/);
  }));

test('a new run of jobs that remember says which requests it forgets', () =>
  inWorld(async (world) => {
    const incremental = { path: 'id', param: 'since' };
    const config = unchecked({
      api: { baseUrl: `${world.api.origin}/`, pagination: { method: 'pagenum' }, retryConfig: { maxRetries: 0 } },
      config: { jobs: [{ endpoint: 'parents', incremental, children: [{ onError: 'skip', ...details }] }] },
    });
    world.fails.set('/details/4?page=1', 404);
    const { held } = await (async () => {
      const store = memoryStore();
      await run(config, { to: memory(), store });
      return store;
    })();
    const warningsOf = async (options: RunOptions) => {
      const notices: Notice[] = [];
      const notify = (notice: Notice) => void notices.push(notice);
      await run(config, { to: memory(), store: memoryStore(held), notify, ...options });
      return notices.filter(({ code }) => code === 'not-sent-again').map(({ message }) => message);
    };
    const message =
      'a request that failed is not sent again: this run asks for what is new; run with --retry-failed before it';
    assert.equal(await warningsOf({}), [message]);
    assert.equal(await warningsOf({ full: true }), []);
    assert.equal(await warningsOf({ resume: 'failed' }), []);
  }));

for (const concurrency of [1, 3]) {
  test(`a run of failed requests that is killed at any moment goes on, ${concurrency} at once`, () =>
    inWorld(async (world) => {
      for (const id of [2, 4, 9]) world.fails.set(`/details/${id}?page=1`, 404);
      const store = memoryStore();
      await pull(world, 'skip', { store }, withNotes);
      world.fails.clear();
      world.fails.set('/details/9?page=2', 404);
      const { held } = store;
      await inFolder(async (dir) => {
        const config = configOf(world, 'skip', withNotes);
        const again = memoryStore(held);
        const options = { concurrency, resume: 'failed' } as const;
        await run(config, { to: ndjson(`${dir}/whole`), store: again, ...options });
        const whole = filesIn(`${dir}/whole`);
        const killed = again.moments.filter(
          ({ records }) => !records.some((text) => /"type":"(publishing|done)"/.test(text)),
        );
        assert.ok(killed.length > 8, 'moments');
        for (const [index, moment] of killed.entries()) {
          if (!moment.records[0]?.includes('"again"')) continue; // of the run before
          const own = `${dir}/${index}`;
          mkdirSync(own);
          for (const [name, text] of Object.entries(whole)) writeFileSync(`${own}/${name}.partial`, `${text}{"to`);
          const summary = await run(config, { to: ndjson(own), store: memoryStore(moment), ...options });
          assert.is(summary.jobs.find(({ job }) => job === 'details')?.skipped, 1, `moment ${index}`);
          assert.equal(filesIn(own), whole, `moment ${index}`);
        }
      })();
    }));
}

test('a whole response as item is sent again too: no page comes before it', () =>
  inWorld(
    async (world) => {
      const child = { ...details, dataField: '.', pagination: { method: 'none' } };
      world.fails.set('/details/3', 404);
      const store = memoryStore();
      await pull(world, 'skip', { store }, child);
      world.fails.clear();
      const { items: all } = await pull(world, 'skip', { store, resume: 'failed' }, child);
      assert.equal(all, [{ name: 'x', parent_id: 3 }]);
    },
    (target) => (target.startsWith('/details/') && target !== '/details/3' ? json({ name: 'x' }) : undefined),
  ));

test('the walk of one value of each is sent again alone', () =>
  inWorld(async (world) => {
    world.fails.set('/details/2?kind=b&page=1', 404).set('/details/4?kind=b&page=1', 404);
    const child = { ...details, each: { kind: ['a', 'b'] } };
    const store = memoryStore();
    await pull(world, 'skip', { store }, child);
    world.fails.clear();
    const start = world.api.requests.length;
    const { items: all } = await pull(world, 'skip', { store, resume: 'failed' }, child);
    const sent = world.api.requests.slice(start).map(({ target }) => new URL(target, 'http://x'));
    assert.equal(
      sent.map(({ pathname, searchParams }) => `${pathname} ${searchParams.get('kind')}`),
      [...Array(3).fill('/details/2 b'), ...Array(3).fill('/details/4 b')],
    );
    assert.is(all.length, 4);
  }));

test('a sink that would replace the items of the complete run is refused before any request', () =>
  inWorld(async (world) => {
    world.fails.set('/details/3?page=1', 404);
    await inFolder(async (dir) => {
      const store = memoryStore();
      const config = configOf(world, 'skip');
      await run(config, { to: ndjson(`${dir}/a`), store });
      const before = filesIn(`${dir}/a`)['details.ndjson'];
      world.fails.clear();
      const start = world.api.requests.length;
      const again = (to: string) => run(config, { to: ndjson(`${dir}/${to}`), store, resume: 'failed' });
      await rejection(again('a'), 'ERR_USAGE', /would replace those in/);
      assert.is(world.api.requests.length, start);
      assert.equal(filesIn(`${dir}/a`)['details.ndjson'], before);
      await again('b');
      assert.equal(Object.keys(filesIn(`${dir}/b`)), ['details.ndjson']);
      assert.match(filesIn(`${dir}/b`)['details.ndjson'] ?? '', /^(.*"parent_id":3.\n){2}$/);
    })();
  }));

test('there is nothing to send again without a complete run', () =>
  inWorld(async (world) => {
    const store = memoryStore();
    await rejection(pull(world, 'skip', { store, resume: 'failed' }), 'ERR_RESUME', /there is no run/);
    world.fails.set('/details/3?page=1', 404);
    await rejection(pull(world, 'fail', { store }), 'ERR_STATUS');
    await rejection(pull(world, 'skip', { store, resume: 'failed' }), 'ERR_RESUME', /has not ended/);
  }));

test('with nothing left each job has ended, as one that sent only what had failed', () =>
  inWorld(async (world) => {
    const store = memoryStore();
    world.fails.set('/details/3?page=1', 404);
    await pull(world, 'skip', { store });
    world.fails.clear();
    const again = memoryStore(store.held);
    await pull(world, 'skip', { store: again, resume: 'failed' });
    const { summary, notices } = await pull(world, 'skip', { store: memoryStore(again.held), resume: 'failed' });
    assert.ok(summary.jobs.length > 0);
    for (const { stop, bounded } of summary.jobs)
      assert.equal([stop, bounded], ['only requests that had failed', true]);
    assert.ok(notices.some(({ code }) => code === 'already-done'));
  }));

test('limits and a choice of jobs are refused: they would leave out some of the requests', () =>
  inWorld(async (world) => {
    world.fails.set('/details/3?page=1', 404);
    const store = memoryStore();
    await pull(world, 'skip', { store });
    for (const options of [{ jobs: ['parents'] }, { maxItems: 5 }, { maxPages: 5 }, { maxDuration: 5000 }]) {
      const { held } = store;
      await rejection(pull(world, 'skip', { store: memoryStore(held), resume: 'failed', ...options }), 'ERR_USAGE');
    }
  }));

test('a job that is gone is an error', () =>
  inWorld(async (world) => {
    world.fails.set('/details/3?page=1', 404);
    const store = memoryStore();
    await pull(world, 'skip', { store });
    const other = { ...details, dataType: 'others' };
    await rejection(pull(world, 'skip', { store, resume: 'failed' }, other), 'ERR_RESUME', /"details", which is gone/);
  }));

const secret = 'hush-hush-of-the-login';
const link = `/details/3?page=9&key=${secret}`;
const linked = { ...details, dataField: 'items', pagination: { method: 'response.url', urlKey: 'next' } };
const authentication = {
  type: 'login',
  loginRequest: { endpoint: 'login' },
  apiRequest: { headers: { 'X-Key': { response: 'key' } } },
};

test('a request with a secret that is never stored is counted, and not sent again', () =>
  inWorld(
    async (world) => {
      const store = memoryStore();
      const { jobs } = await pull(world, 'skip', { store }, linked, { authentication });
      assert.is(jobs.get('details')?.skipped, 1);
      assert.not.ok(store.held.records.join('').includes(secret));
      const { notices } = await pull(world, 'skip', { store, resume: 'failed' }, linked, { authentication });
      assert.ok(notices.some(({ code }) => code === 'not-sent-again'));
    },
    (target) => {
      if (target === '/login') return json({ key: secret });
      if (target === link) return { status: 404, body: '' };
      if (target.startsWith('/details/3')) return json({ items: items(3, 1), next: link });
      return target.startsWith('/details') ? json({ items: [], next: null }) : undefined;
    },
  ));

test('windows that split have no onError', () =>
  inWorld(async (world) => {
    const windows = { from: 0, to: 9, step: 3, params: { from: 'a' }, split: true };
    const error = await rejection(pull(world, 'skip', {}, { ...details, windows }), 'ERR_CONFIG');
    assert.match(error.problems[0]?.message ?? '', /`windows` that split/);
  }));

test.run();
