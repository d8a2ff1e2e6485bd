/**
 * What rxtract pushes, taken by a real collector of OpenTelemetry and read back from it: `npm run collector`. Of runs
 * that succeed, fail and are interrupted, each metric must arrive, and each kind of span below the right one. The
 * collector is built once, in `build/collector/`, by OpenTelemetry's builder from Go modules: that needs Go.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { metricRows } from '../../dist/src/run/metrics/metric-rows.js';

const builderVersion = 'v0.165.0';
const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const built = pathOf('../../build/collector');
const secret = 'hush-hush';

/** The path of the collector. */
function buildCollector() {
  const program = join(built, 'collector');
  if (existsSync(program)) return program;
  console.log('building the collector');
  mkdirSync(built, { recursive: true });
  const options = { cwd: built, stdio: 'inherit', env: { ...process.env, GOBIN: built } };
  execFileSync('go', ['install', `go.opentelemetry.io/collector/cmd/builder@${builderVersion}`], options);
  execFileSync(join(built, 'builder'), ['--config', pathOf('builder.yaml')], options);
  return program;
}

async function listen(answer) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** Takes what the collector hands on. */
async function startSink() {
  const taken = { traces: [], metrics: [] };
  const place = await listen(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    taken[request.url.endsWith('/traces') ? 'traces' : 'metrics'].push(body);
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  return { ...place, taken };
}

/** A login, pages of users and of their posts, a redirect, a 503 in between, and a job that never answers. */
async function startApi() {
  let requests = 0;
  return listen(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    requests += 1;
    if (pathname === '/never') return;
    if (pathname === '/none') return response.writeHead(404).end();
    if (requests === 4) return response.writeHead(503).end();
    response.setHeader('content-type', 'application/json');
    if (pathname === '/login') return response.end(`{"token":"${secret}","expires_in":3600}`);
    if (pathname === '/posts')
      return response.writeHead(307, { location: `/moved?user=${searchParams.get('user')}` }).end();
    if (pathname === '/moved') return response.end('[{"post":1}]');
    await setTimeout(5);
    const page = Number(searchParams.get('page'));
    const items = page > 5 ? [] : [1, 2].map((at) => ({ id: page * 10 + at, at: '2026-11-27T10:00:00Z' }));
    response.end(JSON.stringify(items));
  });
}

async function startCollector(dir, sink) {
  const { server, origin } = await listen(() => {});
  server.close();
  const config = {
    receivers: { otlp: { protocols: { http: { endpoint: new URL(origin).host } } } },
    exporters: { otlp_http: { endpoint: sink.origin, encoding: 'json', compression: 'none' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: {
        traces: { receivers: ['otlp'], exporters: ['otlp_http'] },
        metrics: { receivers: ['otlp'], exporters: ['otlp_http'] },
      },
    },
  };
  const file = join(dir, 'collector.yaml'); // JSON is YAML
  await writeFile(file, JSON.stringify(config));
  const collector = spawn(buildCollector(), ['--config', `file:${file}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  collector.stderr.on('data', (chunk) => {
    log += chunk;
  });
  for (let tries = 0; !log.includes('Everything is ready'); tries += 1) {
    assert.ok(tries < 200 && collector.exitCode === null, `the collector does not start:\n${log}`);
    await setTimeout(50);
  }
  return { collector, origin };
}

const apiOf = (origin) => ({
  baseUrl: `${origin}/`,
  authentication: {
    type: 'login',
    loginRequest: { endpoint: 'login', method: 'POST' },
    apiRequest: { query: { token: 'token' } },
    expires: { response: 'expires_in', relative: true },
  },
});

const posts = { endpoint: 'posts?user={id}', dataType: 'posts', placeholders: { id: 'id' } };
const users = {
  endpoint: 'users',
  dataType: 'users',
  pagination: { method: 'pagenum', firstPage: 1 },
  incremental: { path: 'at', param: 'since', initial: '2026-01-01' },
  children: [posts],
};

const configurations = {
  success: (origin) => ({ api: apiOf(origin), config: { jobs: [users] } }),
  failure: (origin) => ({ api: apiOf(origin), config: { jobs: [{ endpoint: 'none', dataType: 'none' }] } }),
  interrupted: (origin) => ({ api: apiOf(origin), config: { jobs: [{ endpoint: 'never', dataType: 'never' }] } }),
};

/** Runs the command in a process of its own; `interrupted`: until it has sent its request, then with SIGINT. */
async function runCommand(dir, name, { api, collector }) {
  const file = join(dir, `${name}.json`);
  await writeFile(file, JSON.stringify(configurations[name](api.origin)));
  const words = [
    'run',
    file,
    '--to',
    `ndjson:${join(dir, name)}?mode=append`,
    '--metrics-push',
    collector.origin,
    '--strict',
    '--quiet',
  ];
  const command = spawn(
    process.execPath,
    [pathOf('../../dist/src/cli/main.js'), ...words, '--state', join(dir, `${name}-state`)],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin } },
  );
  if (name === 'interrupted') {
    await new Promise((resolve) => api.server.on('request', ({ url }) => url.startsWith('/never') && resolve()));
    command.kill('SIGINT');
  }
  const [code] = await once(command, 'exit');
  return code;
}

const spansIn = ({ traces }) =>
  traces.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  );

const metricsIn = ({ metrics }) =>
  metrics.flatMap(({ resourceMetrics }) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
  );

const attribute = ({ attributes = [] }, name) => attributes.find(({ key }) => key === name)?.value;

/** `parent > span` of all spans, each with how often it is there. */
function edgesOf(spans) {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const counts = new Map();
  for (const { name, parentSpanId = '', traceId } of spans) {
    const parent = byId.get(parentSpanId);
    assert.ok(parentSpanId === '' || parent?.traceId === traceId, `${name}: its parent is not there`);
    const edge = `${parent?.name ?? 'none'} > ${name}`;
    counts.set(edge, (counts.get(edge) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort());
}

/** Users of 5 pages, and an empty one; a post for each of 10 users, redirected; one is sent again with its redirect. */
const edgesOfSuccess = {
  'job posts > page': 10,
  'job users > job posts': 10,
  'job users > page': 6,
  'login > POST': 1,
  'none > run': 1,
  'page > GET': 28,
  'page > commit': 16,
  'run > job users': 1,
  'run > login': 1,
};

const edgesOfFailure = (job) => ({
  [`job ${job} > page`]: 1,
  'login > POST': 1,
  'none > run': 1,
  'page > GET': 1,
  [`run > job ${job}`]: 1,
  'run > login': 1,
});

/** The names of metrics without a point: what a run that is over does not have. */
const missing = (taken) => {
  const names = new Set(metricsIn(taken).map(({ name }) => name));
  return Object.values(metricRows)
    .map(({ name }) => name)
    .filter((name) => !names.has(name));
};

function check(taken, name, code) {
  const spans = spansIn(taken);
  assert.equal(code, { success: 0, failure: 1, interrupted: 130 }[name]);
  assert.deepEqual(
    edgesOf(spans),
    name === 'success' ? edgesOfSuccess : edgesOfFailure(name === 'failure' ? 'none' : 'never'),
  );
  const failed = spans.filter(({ status }) => status?.code === 2).map((span) => span.name);
  if (name === 'success') {
    assert.deepEqual(failed, ['GET']);
    assert.deepEqual(missing(taken), []);
    const resent = spans.filter((span) => attribute(span, 'http.request.resend_count') !== undefined);
    assert.equal(resent.length, 12);
  } else {
    const job = name === 'failure' ? 'none' : 'never';
    assert.deepEqual(failed.sort(), ['GET', `job ${job}`, 'page', 'run']);
    const [run] = spans.filter((span) => span.name === 'run');
    assert.equal(attribute(run, 'error.type')?.stringValue, name === 'failure' ? 'ERR_STATUS' : 'ERR_ABORTED');
  }
  assert.ok(!JSON.stringify(taken).includes(secret), 'a secret is in what was pushed');
  const points = metricsIn(taken).length;
  console.log(`${name}: ${spans.length} spans, ${points} metrics in ${taken.metrics.length} pushes`);
}

const dir = await mkdtemp(join(tmpdir(), 'rxtract-collector-'));
const [api, sink] = [await startApi(), await startSink()];
const collector = await startCollector(dir, sink);
try {
  for (const name of Object.keys(configurations)) {
    const code = await runCommand(dir, name, { api, collector });
    await setTimeout(500); // the collector hands on what it has
    check(sink.taken, name, code);
    sink.taken.traces = [];
    sink.taken.metrics = [];
  }
  console.log(
    `all ${Object.keys(metricRows).length} metrics and all kinds of spans have arrived, each below its parent`,
  );
} finally {
  collector.collector.kill();
  await once(collector.collector, 'exit');
  for (const { server } of [api, sink]) {
    server.close();
    server.closeAllConnections();
  }
  await rm(dir, { recursive: true, force: true });
}
