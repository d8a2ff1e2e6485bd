import { lastValueFrom } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createMetrics, extract, type Metrics, type Observe, run } from '../../../src/index.js';
import { readable } from '../../../src/run/metrics/create-metrics.js';
import { type MetricRow, metricRows, prometheusName } from '../../../src/run/metrics/metric-rows.js';
import { createRegistry } from '../../../src/run/metrics/prometheus.js';
import { type Answer, type Api, items, json, startApi } from '../../loopback/api.js';
import { rejection } from '../../sinks/lib.js';

/** The samples of metrics whose names begin so, without buckets: `{job="users"} 3`. */
async function samples({ registry }: Metrics, name: string): Promise<readonly string[]> {
  const lines = (await registry.metrics()).split('\n');
  return lines
    .filter((line) => line.startsWith(`rxtract_${name}`) && !line.includes('le='))
    .map((line) => line.slice(`rxtract_${name}`.length));
}

const valueIn = (lines: readonly string[], label: string): number =>
  Number(
    lines
      .find((line) => line.includes(label))
      ?.split(' ')
      .at(-1),
  );

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

test('each metric has its name in Prometheus, and a help text', async () => {
  const { registry } = await createMetrics();
  const text = await registry.metrics();
  for (const row of Object.values(metricRows) as readonly MetricRow[]) {
    assert.match(text, `# HELP ${prometheusName(row)} ${row.summary.replaceAll('`', '')}\n`);
    assert.match(text, `# TYPE ${prometheusName(row)} ${row.kind}\n`);
  }
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  assert.is(names.length, Object.keys(metricRows).length);
  assert.ok(names.every((name) => name?.startsWith('rxtract_')));
});

test('the runs of a board are those of its last answer, and none if there is none in time', async () => {
  const metrics = readable(await createMetrics());
  const shown = async () => {
    await metrics.refresh();
    return samples(metrics, 'board_');
  };
  assert.equal(await shown(), []);
  const tasks = { ready: 1, waiting: 2, leased: 3, done: 4, failed: 5 };
  const stop = metrics.watchBoard(async () => [
    { name: 'a', tasks, longestLease: 1500 },
    { name: 'b', tasks },
  ]);
  const found = await shown();
  assert.is(found.length, 11);
  assert.equal(
    [found[1], found[5], found[10]],
    ['tasks{run="a",task_state="waiting"} 2', 'tasks{run="b",task_state="ready"} 1', 'lease_time_seconds{run="a"} 1.5'],
  );
  metrics.watchBoard(() => Promise.reject(new Error('away')));
  assert.equal(await shown(), []);
  metrics.watchBoard(() => new Promise(() => {}), 1);
  assert.equal(await shown(), []);
  stop();
  assert.equal(await shown(), []);
});

test('a run counts items, pages, bytes and requests by status', () =>
  withApi(pagesOf, async (server) => {
    const metrics = await createMetrics();
    const summary = await run({ api: api(server), config: users }, { observe: metrics });
    const { port } = new URL(server.origin);
    assert.equal(await samples(metrics, 'items_total'), ['{job="users"} 3']);
    assert.equal(await samples(metrics, 'items_size_bytes_total'), [`{job="users"} ${summary.jobs[0]?.bytes}`]);
    assert.equal(await samples(metrics, 'pages_total'), ['{job="users"} 2']);
    assert.equal(await samples(metrics, 'received_bytes_total'), ['{job="users"} 30']);
    const labels = 'job="users",request_kind="page",http_response_status_code="200"';
    assert.equal(await samples(metrics, 'requests_total'), [`{${labels}} 2`]);
    const at = `server_address="127.0.0.1",server_port="${port}"`;
    assert.equal(await samples(metrics, 'http_client_active_requests'), [`{${at}} 0`]);
    const [count] = (await samples(metrics, 'http_client_request_duration_seconds')).filter((each) =>
      each.startsWith('_count'),
    );
    assert.is(count, `_count{http_request_method="GET",${at},http_response_status_code="200"} 2`);
    for (const name of ['page_duration_seconds', 'response_delay_seconds']) {
      assert.match((await samples(metrics, name)).join('\n'), /^_count\{.*\} 2$/m);
    }
    assert.equal(await samples(metrics, 'runs_total'), ['{outcome="success"} 1']);
    assert.equal(await samples(metrics, 'runs_active'), [' 0']);
    assert.equal(await samples(metrics, 'sink_lag_items'), ['{job="users"} 0']);
    assert.ok(valueIn(await samples(metrics, 'process_memory_usage_bytes'), '') > 1e6);
    assert.ok(valueIn(await samples(metrics, 'process_cpu_time_seconds_total'), 'user') > 0);
  }));

test('a registry of another program gets the metrics too, and its own buckets are counted up', () =>
  withApi(pagesOf, async (server) => {
    const { default: library } = await import('prom-client');
    const registry = new library.Registry();
    const metrics = await createMetrics({ registry });
    await run({ api: api(server), config: users }, { observe: metrics });
    assert.is(metrics.registry, registry);
    const buckets = (await registry.metrics()).match(/^rxtract_page_duration_seconds_bucket.*$/gm) ?? [];
    assert.is(buckets.length, metricRows.pageDuration.buckets.length + 1);
    assert.match(buckets.at(-1) ?? '', /\{le="\+Inf",job="users"\} 2$/);
    const counts = buckets.map((line) => Number(line.split(' ').at(-1)));
    assert.equal(
      [...counts].sort((a, b) => a - b),
      counts,
    );
    registry.resetMetrics();
    assert.equal(await samples(metrics, 'items_total'), ['{job="users"} 3']);
  }));

test('a package that is not installed is named with the command that installs it', () =>
  rejection(
    createRegistry('rxtract-no-such-package'),
    'ERR_USAGE',
    /^metrics needs the package rxtract-no-such-package, which is not installed: npm install rxtract-no-such-package$/,
  ).then(() => {}));

test('two runs add up, and their waits have causes', () =>
  withApi(pagesOf, async (server) => {
    const metrics = await createMetrics();
    const config = { api: api(server), config: users };
    for (let count = 0; count < 2; count += 1) await run(config, { observe: metrics });
    assert.equal(await samples(metrics, 'items_total'), ['{job="users"} 6']);
    const waits = await samples(metrics, 'wait_time_seconds_total');
    assert.is(waits.length, 5);
    assert.ok(valueIn(waits, 'server') > 0);
    assert.is(valueIn(waits, 'rate'), 0);
    assert.equal(
      new Set((await samples(metrics, 'pages_waiting')).map((line) => line.split(' ').at(-1))),
      new Set(['0']),
    );
  }));

test('a failed attempt is a retry, and a failed run has its outcome', () =>
  withApi(
    (request, index) =>
      index === 0 ? { status: 503, body: 'later' } : index < 3 ? pagesOf(request, index) : { status: 404 },
    async (server) => {
      const metrics = await createMetrics();
      const config = { api: api(server, { retryConfig: { backoff: 'constant', delay: 0.001 } }), config: users };
      await run(config, { observe: metrics });
      assert.equal(await samples(metrics, 'retries_total'), ['{job="users"} 1']);
      const failure = await run(config, { observe: metrics }).catch((thrown) => thrown);
      assert.is(failure.code, 'ERR_STATUS');
      const requests = await samples(metrics, 'requests_total');
      assert.is(valueIn(requests, 'code="503"'), 1);
      assert.match(requests.join('\n'), 'http_response_status_code="404",error_type="404"} 1');
      assert.equal(await samples(metrics, 'runs_total'), ['{outcome="success"} 1', '{outcome="failure"} 1']);
    },
  ));

test('a request without a response has its error code, and a run that is left is interrupted', () =>
  withApi(
    (_, index) => (index === 0 ? { body: (response) => void response.destroy() } : json(items(1, 1))),
    async (server) => {
      const metrics = await createMetrics();
      const config = { api: api(server, { retryConfig: { maxRetries: 0 } }), config: users };
      await run(config, { observe: metrics }).catch(() => {});
      assert.match(
        (await samples(metrics, 'requests_total')).join('\n'),
        'request_kind="page",error_type="ERR_TRANSPORT"} 1',
      );
      const stopping = new AbortController();
      await run(config, { observe: metrics, signal: stopping.signal, onReceipt: () => stopping.abort() }).catch(
        () => {},
      );
      assert.is(valueIn(await samples(metrics, 'runs_total'), 'interrupted'), 1);
    },
  ));

test('logins count, with the time until they expire', () =>
  withApi(
    ({ target, method }) =>
      method === 'POST' ? json({ token: 'hush-hush', expires_in: 600 }) : pagesOf({ target } as never, 0),
    async (server) => {
      const metrics = await createMetrics();
      const authentication = {
        type: 'login',
        loginRequest: { endpoint: 'login', method: 'POST' },
        apiRequest: { headers: { 'X-Token': 'token' } },
        expires: { response: 'expires_in', relative: true },
      };
      await run({ api: api(server, { authentication }), config: users }, { observe: metrics });
      assert.equal(await samples(metrics, 'logins_total'), ['{server_address="127.0.0.1"} 1']);
      const left = valueIn(await samples(metrics, 'credential_lifetime_seconds'), '127.0.0.1');
      assert.ok(left > 500 && left <= 600, String(left));
      assert.is(valueIn(await samples(metrics, 'requests_total'), 'request_kind="login"'), 1);
      assert.not.match(await metrics.registry.metrics(), 'hush-hush');
    },
  ));

test('a login that fails has its code', () =>
  withApi(
    () => ({ status: 403 }),
    async (server) => {
      const metrics = await createMetrics();
      const authentication = {
        type: 'login',
        loginRequest: { endpoint: 'login' },
        apiRequest: { headers: { 'X-Token': 'token' } },
      };
      await run({ api: api(server, { authentication }), config: users }, { observe: metrics }).catch(() => {});
      assert.equal(await samples(metrics, 'logins_total'), ['{server_address="127.0.0.1",error_type="ERR_STATUS"} 1']);
      assert.equal(await samples(metrics, 'credential_lifetime_seconds'), []);
    },
  ));

test('secrets in names are masked', () =>
  withApi(pagesOf, async (server) => {
    const metrics = await createMetrics();
    const jobs = [{ endpoint: 'users', dataType: 'hush-hush-users' }];
    await run({ api: api(server), config: { '#key': 'hush-hush', jobs } }, { observe: metrics });
    assert.equal(await samples(metrics, 'items_total'), ['{job="***-users"} 3']);
    assert.not.match(await metrics.registry.metrics(), 'hush-hush');
  }));

test('items that are pulled count too, and several observers watch one run', () =>
  withApi(pagesOf, async (server) => {
    const [one, other] = [await createMetrics(), await createMetrics()];
    const observe: readonly Observe[] = [one, other];
    const states = new Set<string>();
    const extraction = extract(
      { api: api(server), config: users },
      { observe, onActivity: ({ state }) => void states.add(state) },
    );
    for await (const _ of extraction.items());
    for (const each of observe as readonly Metrics[]) {
      assert.equal(await samples(each, 'items_total'), ['{job="users"} 3']);
      assert.equal(await samples(each, 'runs_total'), ['{outcome="success"} 1']);
      assert.is(valueIn(await samples(each, 'requests_total'), '200'), 2);
    }
    assert.ok(states.has('answer') && states.has('page'));
  }));

test('a sink that does not open fails a run that never began', () =>
  withApi(pagesOf, async (server) => {
    const metrics = await createMetrics();
    const to = {
      open: () => Promise.reject(new Error('closed')),
      write: () => {},
      close: async () => {},
      abort: async () => {},
    };
    const { receipts, closed } = extract({ api: api(server), config: users }, { observe: metrics, to });
    await lastValueFrom(receipts).catch(() => {});
    await closed;
    assert.equal(await samples(metrics, 'runs_total'), ['{outcome="failure"} 1']);
    assert.equal(await samples(metrics, 'runs_active'), [' 0']);
  }));

test.run();
