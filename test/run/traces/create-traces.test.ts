/** Traces of runs: which spans there are, what they are below, and how they end. */
import { context, trace } from '@opentelemetry/api';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { lastValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createMetrics, createTraces, extract, run, stateFolder } from '../../../src/index.js';
import { type Answer, type Api, headerOf, items, json, startApi } from '../../loopback/api.js';
import { inFolder, rejection } from '../../sinks/lib.js';
import { recordTraces } from './span-tree.js';

async function withApi(answer: Answer, use: (api: Api) => Promise<void>): Promise<void> {
  const api = await startApi(answer);
  try {
    await use(api);
  } finally {
    await api.close();
  }
}

const pagesOf: Answer = ({ target }) => json(target.includes('page=1') ? items(1, 3) : []);
const api = ({ origin }: Api, more: object = {}) => ({
  baseUrl: `${origin}/`,
  pagination: { method: 'pagenum' as const, firstPage: 1 },
  ...more,
});
const users = { jobs: [{ endpoint: 'users', dataType: 'users' }] };

test('a run has its jobs, pages, requests and commits below it; a retry is a request beside the first', () =>
  withApi(
    (request, index) => (index === 0 ? { status: 503 } : pagesOf(request, index)),
    async (server) => {
      const { traces, tree } = await recordTraces();
      await run({ api: api(server), config: users }, { observe: traces });
      assert.equal(tree(), [
        'run',
        '  job users',
        '    page page=0 items=3',
        '      GET status_code=503 type=503 failed',
        '      GET status_code=200 resend_count=1',
        '      commit',
        '    page page=1 items=0',
        '      GET status_code=200',
        '      commit',
      ]);
    },
  ));

test('a request has the attributes of HTTP clients, and no secret', () =>
  withApi(
    ({ target }) =>
      json(target.includes('next') ? [] : { items: items(1, 1), next: `/users?next=1&Signature=s3cret&x=1` }),
    async (server) => {
      const { traces, spans } = await recordTraces();
      const { port } = new URL(server.origin);
      const authentication = { type: 'query' as const, query: { key: { attr: '#key' } } };
      const pagination = { method: 'response.url' as const, urlKey: 'next' };
      await run(
        {
          api: { baseUrl: `${server.origin}/`, pagination, authentication },
          config: {
            '#key': 'hush-hush',
            jobs: [{ endpoint: 'users', dataType: 'hush-hush-users', dataField: 'items' }],
          },
        },
        { observe: traces },
      );
      const [first, second] = spans().filter(({ kind }) => kind === 2);
      assert.equal(first?.attributes, {
        'http.request.method': 'GET',
        'server.address': '127.0.0.1',
        'server.port': Number(port),
        'url.full': `${server.origin}/users?key=***`,
        'http.response.status_code': 200,
      });
      assert.match(String(second?.attributes['url.full']), '/users?next=1&Signature=REDACTED&x=1&key=***');
      assert.ok(spans().some(({ name }) => name === 'job ***-users'));
      const all = JSON.stringify(spans().map(({ name, attributes, status }) => ({ name, attributes, status })));
      assert.not.match(all, 'hush-hush');
      assert.not.match(all, 's3cret');
    },
  ));

test('a login has its requests below it; a redirect is a request beside its first', () =>
  withApi(
    ({ target, method }) => {
      if (method === 'POST') return json({ token: 'hush-hush' });
      if (target.startsWith('/users')) return { status: 307, headers: { location: '/moved' } };
      return json([]);
    },
    async (server) => {
      const { traces, tree } = await recordTraces();
      const authentication = {
        type: 'login',
        loginRequest: { endpoint: 'login', method: 'POST' },
        apiRequest: { headers: { 'X-Token': 'token' } },
      };
      await run({ api: api(server, { authentication }), config: users }, { observe: traces });
      assert.equal(
        new Set(tree()),
        new Set([
          'run',
          '  job users',
          '    page page=0 items=0',
          '      GET status_code=307',
          '      GET status_code=200 resend_count=1',
          '      commit',
          '  login',
          '    POST status_code=200',
        ]),
      );
    },
  ));

test('child jobs are below the job of their parent', () =>
  withApi(
    ({ target }) => json(target.startsWith('/users?') ? items(1, 2) : [{ post: 1 }]),
    async (server) => {
      const { traces, tree } = await recordTraces();
      const children = [{ endpoint: 'users/{id}/posts', dataType: 'posts', placeholders: { id: 'id' } }];
      const config = { jobs: [{ endpoint: 'users', params: { a: 1 }, dataType: 'users', children }] };
      await run({ api: { baseUrl: `${server.origin}/` }, config }, { observe: traces });
      const posts = ['    job posts', '      page page=0 items=1', '        GET status_code=200', '        commit'];
      assert.equal(tree(), [
        'run',
        '  job users',
        '    page page=0 items=2',
        '      GET status_code=200',
        '      commit',
        ...posts,
        ...posts,
      ]);
    },
  ));

test('pages that are requested ahead begin with their request; one that is not needed ends with its job', () =>
  withApi(
    async ({ target }) => {
      const page = Number(new URL(target, 'http://x').searchParams.get('page'));
      return json(page <= 3 ? items(page * 10, 2) : []);
    },
    async (server) => {
      const { traces, spans } = await recordTraces();
      const pagination = { method: 'pagenum' as const, firstPage: 1, limit: 2, limitParam: 'limit' };
      await run({ api: { baseUrl: `${server.origin}/`, pagination }, config: users }, { observe: traces, prefetch: 3 });
      const parents = new Map(spans().map((span) => [span.spanContext().spanId, span]));
      const requests = spans().filter(({ kind }) => kind === 2);
      for (const request of requests) {
        const page = parents.get(request.parentSpanContext?.spanId ?? '');
        assert.is(page?.name, 'page');
        assert.match(String(request.attributes['url.full']), `page=${Number(page?.attributes['rxtract.page']) + 1}&`);
      }
      assert.ok(requests.length >= server.requests.length);
      const needed = spans().filter(({ attributes }) => attributes['rxtract.items'] !== undefined);
      assert.equal(needed.map(({ attributes }) => attributes['rxtract.page']).sort(), [0, 1, 2, 3]);
      const pages = spans().filter(({ name }) => name === 'page');
      assert.ok(pages.length >= 4);
      assert.ok(pages.every(({ status }) => status.code === 0));
    },
  ));

test('a failure is the error of its request, page, job and run; other jobs are interrupted', () =>
  withApi(
    ({ target }) => (target.startsWith('/bad') ? { status: 404, body: 'none' } : { body: () => {} }),
    async (server) => {
      const { traces, tree, spans } = await recordTraces();
      const jobs = [
        { endpoint: 'slow', dataType: 'slow' },
        { endpoint: 'bad', dataType: 'bad' },
      ];
      await run({ api: { baseUrl: `${server.origin}/` }, config: { jobs } }, { observe: traces, concurrency: 2 }).catch(
        () => {},
      );
      assert.equal(
        new Set(tree()),
        new Set([
          'run type=ERR_STATUS failed',
          '  job slow type=ERR_ABORTED failed',
          '    page page=0 type=ERR_ABORTED failed',
          '      GET type=ERR_ABORTED failed',
          '  job bad type=ERR_STATUS failed',
          '    page page=0 type=ERR_STATUS failed',
          '      GET status_code=404 type=404 failed',
        ]),
      );
      const whole = spans().find(({ name }) => name === 'run');
      assert.match(whole?.status.message ?? '', /404/);
    },
  ));

test('a commit that fails is an error', () =>
  withApi(pagesOf, async (server) => {
    const { traces, tree } = await recordTraces();
    const base = { write: () => {}, close: async () => {}, abort: async () => {} };
    for (const commit of [
      () => Promise.reject(new Error('full')),
      () => {
        throw new Error('full');
      },
    ]) {
      await run({ api: api(server), config: users }, { observe: traces, to: { ...base, commit } }).catch(() => {});
    }
    assert.equal(
      tree().filter((line) => line.includes('commit')),
      Array(2).fill('      commit type=ERR_SINK failed'),
    );
  }));

test('a login that fails is an error, and so is one that is left', () =>
  withApi(
    ({ target }) => (target.startsWith('/refused') ? { status: 403 } : { body: () => {} }),
    async (server) => {
      const { traces, tree } = await recordTraces();
      const config = (endpoint: string) => ({
        api: api(server, {
          authentication: {
            type: 'login',
            loginRequest: { endpoint },
            apiRequest: { headers: { 'X-Token': 'token' } },
          },
        }),
        config: users,
      });
      await run(config('refused'), { observe: traces }).catch(() => {});
      const stopping = new AbortController();
      const running = run(config('slow'), { observe: traces, signal: stopping.signal }).catch(() => {});
      while (server.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
      stopping.abort();
      await running;
      const lines = tree().filter((line) => line.startsWith('  login') || line.startsWith('run'));
      assert.equal(lines, [
        'run type=ERR_STATUS failed',
        '  login type=ERR_STATUS failed',
        'run type=ERR_ABORTED failed',
        '  login type=ERR_ABORTED failed',
      ]);
    },
  ));

test('a run whose sink does not open is a span with its error', () =>
  withApi(pagesOf, async (server) => {
    const { traces, tree } = await recordTraces();
    const to = {
      open: () => Promise.reject(new Error('closed')),
      write: () => {},
      close: async () => {},
      abort: async () => {},
    };
    const { receipts, closed } = extract({ api: api(server), config: users }, { observe: traces, to });
    await lastValueFrom(receipts).catch(() => {});
    await closed;
    assert.equal(tree(), ['run type=ERR_SINK failed']);
  }));

test('requests about a report are below its job', () =>
  withApi(
    ({ target, method }) => {
      if (method === 'POST') return json({ id: 7 });
      return target.startsWith('/reports/7/items') ? json(items(1, 2)) : json({ state: 'done' });
    },
    async (server) => {
      const { traces, tree } = await recordTraces();
      const report = {
        create: { endpoint: 'reports', method: 'POST' },
        poll: { endpoint: 'reports/{id}', every: '1s' },
        done: { path: 'state', equals: 'done' },
        fetch: { endpoint: 'reports/{id}/items' },
      };
      const jobs = [{ dataType: 'reports', await: report }];
      await run({ api: { baseUrl: `${server.origin}/` }, config: { jobs } } as never, { observe: traces });
      assert.equal(tree(), [
        'run',
        '  job reports',
        '    POST status_code=200',
        '    GET status_code=200',
        '    page page=0 items=2',
        '      GET status_code=200',
        '      commit',
      ]);
    },
  ));

test(
  'only requests that had failed are jobs of their own',
  inFolder(async (dir) => {
    let isUp = false;
    await withApi(
      () => (isUp ? json([{ id: 1 }]) : { status: 404 }),
      async (server) => {
        const { traces, tree } = await recordTraces();
        const jobs = [{ endpoint: 'users', dataType: 'users', onError: { 404: 'skip' } }];
        const configuration = { api: { baseUrl: `${server.origin}/` }, config: { jobs } };
        const again = (resume: 'failed' | false) =>
          run(configuration as never, { store: stateFolder(dir), resume, observe: traces, to: `ndjson:${dir}/out` });
        await again(false).catch((thrown) => assert.unreachable(String(thrown)));
        isUp = true;
        await again('failed');
        assert.equal(tree(), [
          'run',
          '  job users',
          '    page page=0 items=0',
          '      GET status_code=404 type=404 failed',
          '      commit',
          'run',
          '  job users',
          '    page page=0 items=1',
          '      GET status_code=200',
          '      commit',
        ]);
      },
    );
  }),
);

test('traceparent is sent if that is asked for, and to trusted origins only', () =>
  withApi(
    () => json([]),
    async (other) =>
      withApi(
        () => ({ status: 307, headers: { location: `${other.origin}/users` } }),
        async (server) => {
          const config = { api: { baseUrl: `${server.origin}/` }, config: users };
          const plain = await recordTraces();
          await run(config, { observe: plain.traces });
          assert.is(headerOf(server.requests[0] as never, 'traceparent'), undefined);
          const { traces, spans } = await recordTraces({ traceparent: true });
          await run(config, { observe: [traces, await createMetrics()] });
          const request = spans().find(({ kind }) => kind === 2);
          const { traceId = '', spanId = '' } = request?.spanContext() ?? {};
          assert.is(headerOf(server.requests[1] as never, 'traceparent'), `00-${traceId}-${spanId}-01`);
          assert.is(headerOf(other.requests[1] as never, 'traceparent'), undefined);
        },
      ),
  ));

test('a run is below the active span, with its trace state', () =>
  withApi(pagesOf, async (server) => {
    const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1, isRemote: true };
    const state = { serialize: () => 'vendor=1', get: () => undefined, set: () => state, unset: () => state };
    const above = trace.setSpanContext(context.active(), { ...parent, traceState: state });
    const manager = {
      active: () => above,
      with: (_: unknown, work: () => void) => work(),
      bind: () => {},
      enable: () => manager,
      disable: () => manager,
    };
    context.setGlobalContextManager(manager as never);
    try {
      const { traces, spans } = await recordTraces({ traceparent: true });
      await run({ api: api(server), config: users }, { observe: traces });
      assert.ok(spans().every((span) => span.spanContext().traceId === parent.traceId));
      assert.is(spans().find(({ name }) => name === 'run')?.parentSpanContext?.spanId, parent.spanId);
      assert.is(headerOf(server.requests[0] as never, 'tracestate'), 'vendor=1');
    } finally {
      context.disable();
    }
  }));

test('without a provider nothing is traced, and no traceparent is sent', () =>
  withApi(pagesOf, async (server) => {
    const traces = await createTraces({ traceparent: true });
    await run({ api: api(server), config: users }, { observe: traces });
    assert.is(headerOf(server.requests[0] as never, 'traceparent'), undefined);
  }));

test('runs of one extraction that overlap have one span', async () => {
  const { traces, tree } = await recordTraces();
  const observer = traces.observer((text) => text);
  const totals = { jobs: () => [] };
  observer.begin(totals);
  observer.begin(totals);
  observer.end(undefined);
  assert.equal(tree(), []);
  observer.job('left open');
  observer.remembers([]);
  observer.end(undefined);
  assert.equal(tree(), ['run', '  job left open type=ERR_ABORTED failed']);
});

test('a run that is left out has nothing below it, and asks the sampler no more', () =>
  withApi(pagesOf, async (server) => {
    let asked = 0;
    const sampler = {
      shouldSample() {
        asked += 1;
        return { decision: 0 };
      },
    };
    const tracerProvider = new BasicTracerProvider({ sampler });
    const authentication = {
      type: 'login' as const,
      loginRequest: { endpoint: 'users' },
      apiRequest: { headers: { 'X-Token': '0.id' } },
    };
    const children = [{ endpoint: 'users', dataType: 'below', placeholders: { id: 'id' }, params: { page: 2 } }];
    const jobs = [{ endpoint: 'users', dataType: 'users', children }];
    const traces = await createTraces({ tracerProvider });
    await run({ api: api(server), config: { jobs } }, { observe: traces }).catch(() => {});
    await run({ api: api(server, { authentication }), config: { jobs } }, { observe: traces }).catch(() => {});
    assert.is(asked, 2);
  }));

test('what is below a span that has ended does not end it again', async () => {
  const { traces, tree } = await recordTraces();
  const observer = traces.observer((text) => text);
  observer.begin({ jobs: () => [] });
  const page = observer.job('users').page(0);
  observer.end(new Error('gone'));
  page.succeeds({ count: 1, bytes: 2 });
  assert.equal(tree(), [
    'run type=ERR_INTERNAL failed',
    '  job users type=ERR_ABORTED failed',
    '    page page=0 type=ERR_ABORTED failed',
  ]);
});

test('a package that is not installed is named with the command that installs it', () =>
  rejection(
    createTraces({}, 'rxtract-no-such-package'),
    'ERR_USAGE',
    /^traces needs the package rxtract-no-such-package, which is not installed: npm install rxtract-no-such-package$/,
  ).then(() => {}));

test.run();
