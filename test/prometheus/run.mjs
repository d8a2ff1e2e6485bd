/**
 * Runs each query of `examples/grafana/dashboard.json` at a real Prometheus (`apt-get install prometheus`), which
 * scrapes runs at work: `npm run prometheus`. A query without data fails, and so does a metric that Prometheus lacks.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createMetrics, run, stateFolder } from 'rxtract';

const dir = await mkdtemp(join(tmpdir(), 'rxtract-prometheus-'));
const dashboard = JSON.parse(await readFile(new URL('../../examples/grafana/dashboard.json', import.meta.url), 'utf8'));

const listen = async (answer) => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
};

/** A login, and pages of which every tenth is first a 503. */
let requests = 0;
const api = await listen(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  requests += 1;
  if (requests % 10 === 0) return response.writeHead(503).end();
  response.setHeader('content-type', 'application/json');
  if (pathname === '/login') return response.end('{"token":"t","expires_in":3600}');
  await setTimeout(20);
  const page = Number(searchParams.get('page'));
  const items = Array.from({ length: page > 40 ? 0 : 100 }, (_, at) => ({
    id: page * 100 + at,
    at: '2026-11-27T10:00:00Z',
  }));
  response.end(JSON.stringify(items));
});

const metrics = await createMetrics();
const { registry } = metrics;
const target = await listen(async (_, response) => {
  response.setHeader('content-type', registry.contentType);
  response.end(await registry.metrics());
});

const configuration = {
  api: {
    baseUrl: `${api.origin}/`,
    pagination: { method: 'pagenum', firstPage: 1 },
    retryConfig: { backoff: 'constant', delay: 0.01 },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login', method: 'POST' },
      apiRequest: { headers: { 'X-Token': 'token' } },
      expires: { response: 'expires_in', relative: true },
    },
  },
  config: {
    jobs: [
      { endpoint: 'orders', dataType: 'orders', incremental: { path: 'at', param: 'since', initial: '2026-01-01' } },
    ],
  },
};

const port = 39_090;
await writeFile(
  join(dir, 'prometheus.yml'),
  `scrape_configs:
  - job_name: rxtract
    honor_labels: true
    scrape_interval: 1s
    static_configs: [{ targets: ['${new URL(target.origin).host}'] }]
`,
);
const prometheus = spawn(
  'prometheus',
  [
    `--config.file=${join(dir, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(dir, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ],
  { stdio: 'ignore' },
);
const failed = once(prometheus, 'error').then(([thrown]) => {
  throw new Error(`prometheus does not start (apt-get install prometheus): ${thrown.message}`);
});

const query = async (expression) => {
  const address = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
  const { status, error, data } = await (await fetch(address)).json();
  if (status !== 'success') throw new Error(`${expression}: ${error}`);
  return data.result;
};

/** Runs again and again while Prometheus looks. */
async function work(signal) {
  for (let count = 0; !signal.aborted; count++) {
    const store = stateFolder(join(dir, `state-${count % 2}`));
    await run(configuration, { to: `ndjson:${join(dir, 'out')}`, store, observe: metrics });
  }
}

async function mustAnswer() {
  const missing = [];
  let count = 0;
  for (const { title, targets } of dashboard.panels) {
    for (const { expr } of targets) {
      const expression = expr.replaceAll('$__rate_interval', '10s').replaceAll(/"\$\w+"/g, '".*"');
      const series = await query(expression);
      const isData = series.some(({ value: [, text] }) => !Number.isNaN(Number(text)));
      console.log(`${isData ? 'ok  ' : 'FAIL'} ${title}: ${series.length} series: ${expression}`);
      count += 1;
      if (!isData) missing.push(title);
    }
  }
  const names = [...(await registry.metrics()).matchAll(/^# TYPE (\S+) (\w+)/gm)];
  for (const [, name, type] of names) {
    const series = await query(type === 'histogram' ? `${name}_count` : name);
    if (series.length === 0) missing.push(name);
  }
  console.log(`${count} queries, ${names.length} metrics; without data: ${missing.join(', ') || 'none'}`);
  return missing.length === 0;
}

const stopping = new AbortController();
const working = work(stopping.signal);
try {
  await Promise.race([setTimeout(12_000), failed, working]);
  if (!(await mustAnswer())) process.exitCode = 1;
} finally {
  stopping.abort();
  await working;
  prometheus.kill();
  await once(prometheus, 'exit').catch(() => {});
  for (const { server } of [api, target]) {
    server.close();
    server.closeAllConnections();
  }
  await rm(dir, { recursive: true, force: true });
}
