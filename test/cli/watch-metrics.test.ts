/** `--metrics` and `--metrics-push`: what a run shows while it is at work, and what it sends at its end. */
import { createServer } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseArguments } from '../../src/cli/arguments.js';
import { rxtract } from '../../src/cli/main-command.js';
import { createReport } from '../../src/cli/report.js';
import { runFlags } from '../../src/cli/run-flags.js';
import type { RunWatch } from '../../src/cli/run-watch.js';
import { watchMetrics } from '../../src/cli/watch-metrics.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { createMetrics } from '../../src/run/metrics/create-metrics.js';
import { createLocalServers } from '../../src/tools/local-server.js';
import { items, json, startApi } from '../loopback/api.js';
import { fakeShell } from './fake-shell.js';

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const configOf = (origin: string) =>
  JSON.stringify({
    api: { baseUrl: `${origin}/`, pagination: { method: 'pagenum', firstPage: 1 } },
    config: { jobs: [{ endpoint: 'users', dataType: 'users' }] },
  });

test('metrics are there while the run is at work, and pushed at its end', async () => {
  const port = await freePort();
  const place = `http://127.0.0.1:${port}`;
  const seen: string[] = [];
  const statuses: number[] = [];
  const api = await startApi(async ({ method, target }) => {
    if (method === 'POST') return json({});
    if (target.includes('page=1')) return json(items(1, 3));
    const response = await fetch(`${place}/metrics?x=1`);
    seen.push(response.headers.get('content-type') ?? '', await response.text());
    statuses.push((await fetch(place)).status);
    return json([]);
  });
  try {
    const shell = fakeShell({ stdin: configOf(api.origin) });
    const words = [
      'run',
      '-',
      '--to',
      'null:',
      '--metrics',
      String(port),
      '--metrics-push',
      api.origin,
      '--log',
      'json',
    ];
    assert.is(await rxtract(words, shell), 0);
    assert.match(seen[0] ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(seen[1] ?? '', /^rxtract_items_total\{job="users"\} 3$/m);
    assert.match(seen[1] ?? '', /^rxtract_runs_active 1$/m);
    assert.equal(statuses, [404]);
    assert.is(api.requests.filter(({ target }) => target === '/v1/metrics').length, 1);
    assert.match(shell.err(), `metrics are at ${place}/metrics`);
    assert.is(await fetch(place).catch(() => 'closed'), 'closed');
  } finally {
    await api.close();
  }
});

/** Options as given, with a push that does what the test says. */
async function watch(
  words: readonly string[],
  work: () => Promise<void> = async () => {},
  env: Readonly<Record<string, string>> = {},
) {
  const shell = fakeShell();
  const report = createReport(['--log', 'json'], shell);
  const args = parseArguments(words, runFlags);
  const createPush = async () => ({ push: work });
  const servers = createLocalServers();
  const watched = await watchMetrics(args, report, { servers, env, create: createMetrics, createPush });
  return { shell, servers, watched };
}

const pushing = ['--metrics-push', 'http://localhost:4318'];
const unreachable = async () => assert.unreachable();
const failing = async () => {
  throw new ExtractError('ERR_TRANSPORT', 'metrics could not be pushed');
};

test('a push that fails is a warning, also with --strict', async () => {
  const { shell, watched } = await watch([...pushing, '--strict'], failing);
  await watched?.push();
  await watched?.close();
  assert.equal(
    shell.events().map(({ level, code, message }) => [level, code, message]),
    [['warning', 'metrics-not-pushed', 'metrics could not be pushed']],
  );
});

test('a push that fails can be allowed', async () => {
  const { shell, watched } = await watch([...pushing, '--allow', 'metrics-not-pushed'], failing);
  await watched?.push();
  await watched?.close();
  assert.equal(shell.events(), []);
});

const pushesTwice = (env: Readonly<Record<string, string>>) =>
  new Promise<void>((resolve) => {
    let count = 0;
    let open: RunWatch | undefined;
    const keep = setTimeout(() => {}, 10_000);
    void watch(
      pushing,
      async () => {
        count += 1;
        if (count < 2) return;
        clearTimeout(keep);
        await open?.close();
        resolve();
      },
      env,
    ).then(({ watched }) => {
      open = watched;
    });
  });

test('a long run pushes again and again', () => pushesTwice({ OTEL_METRIC_EXPORT_INTERVAL: '1' }));

test('an interval that is none has no effect', async () => {
  const { watched } = await watch(pushing, unreachable, { OTEL_METRIC_EXPORT_INTERVAL: 'often' });
  await watched?.close();
});

test('a push alone opens no port, and metrics alone push nothing', async () => {
  const { shell, watched } = await watch(['--metrics', String(await freePort())], unreachable);
  assert.match(shell.err(), '/metrics');
  await watched?.push();
  await watched?.close();
  assert.is((await watch([])).watched, undefined);
});

test('health and metrics can have one port', async () => {
  const port = await freePort();
  const { servers, watched } = await watch(['--metrics', String(port)]);
  const answer = (target: string) => (target === '/healthz' ? { status: 200, text: 'ok' } : undefined);
  const health = await servers.listen({ host: '127.0.0.1', port, answer });
  const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  assert.equal([await statusOf('/metrics'), await statusOf('/healthz'), await statusOf('/')], [200, 200, 404]);
  await watched?.close();
  assert.equal([await statusOf('/metrics'), await statusOf('/healthz')], [404, 200]);
  await health.close();
});

for (const [words, message] of [
  [['--metrics', 'x:y'], '--metrics: "x:y" is not a host with its port'],
  [['--metrics-push', 'nowhere'], 'metrics are pushed to an address such as http://localhost:4318'],
] as const) {
  test(`refused: ${words.join(' ')}`, async () => {
    const shell = fakeShell();
    assert.is(await rxtract(['run', 'c.json', ...words], shell), 1);
    assert.match(shell.err(), message);
  });
}

test.run();
