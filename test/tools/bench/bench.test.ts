/** `rxtract bench` from its arguments to table, JSON and page, against loopback servers. No assertion is about time. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../../src/cli/main-command.js';
import { configurationFor } from '../../../src/tools/bench/generated-api.js';
import type { BenchResult } from '../../../src/tools/bench/result.js';
import { parseShape } from '../../../src/tools/bench/shape.js';
import { startServer } from '../../../src/tools/bench/start-server.js';
import { inTemporary } from '../../blackbox/command.js';
import { type FakeShellOptions, fakeShell } from '../../cli/fake-shell.js';
import { json, startApi } from '../../loopback/api.js';

async function play(words: readonly string[], options: FakeShellOptions = {}) {
  const shell = fakeShell(options);
  const exit = await rxtract(['bench', ...words], shell);
  return { exit, out: shell.out(), err: shell.err(), shell };
}

const small = ['--server', '--shape', 'pages=4,items=3,item=tiny'];
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as BenchResult;
const remote = JSON.stringify({
  api: { baseUrl: 'https://api.example.com/' },
  config: { '#token': 'hush-hush', jobs: [{ endpoint: 'users' }] },
});

test('one command measures the generated API, in a table of 80 columns', async () => {
  const { exit, out, err } = await play(small);
  assert.is(exit, 0, err);
  for (const line of out.split('\n')) assert.ok([...line].length <= 80, line);
  assert.match(
    out,
    /^the generated API \(pages=4,items=3,item=tiny\): 5 pages, 12 items to null:, 3\nruns after 1 warm-up/,
  );
  for (const part of ['items/s', 'first byte', 'event-loop delay', 'Where the time went', 'The measuring took ']) {
    assert.ok(out.includes(part), part);
  }
  assert.match(err, /^warm-up 1 of 1: 5 pages, 12 items in .* s, .* items\/s\nrun 1 of 3: /);
  assert.not.match(err, /job +requests/);
});

test('the JSON has the figures, and each run; the page needs no network', async () => {
  await inTemporary(async (dir) => {
    const [json, report] = [join(dir, 'a.json'), join(dir, 'a.html')];
    const words = [...small, '--repeat', '2', '--warm-up', '0', '--json', json, '--report', report, '--max-pages', '3'];
    const { exit, err } = await play([...words, '--quiet']);
    assert.is(exit, 0, err);
    assert.is(err, '');
    const result = await readJson(json);
    assert.is(result.format, 'rxtract-bench/1');
    assert.equal([result.repeat, result.warmUp, result.runs.length, result.to], [2, 0, 2, ['null:']]);
    assert.equal(result.options, { 'max-pages': '3' });
    for (const { pages, items, requests, retries, timeline, latency } of result.runs) {
      assert.equal([pages, items, requests, retries, latency.total.count], [3, 9, 3, 0, 3]);
      assert.ok(timeline.length >= 2);
    }
    for (const name of ['itemsPerSecond', 'pagesPerSecond', 'bytesPerSecond', 'peakMemoryBytes'] as const) {
      assert.ok(result[name] > 0, name);
      assert.is(result.quartiles[name].length, 2);
    }
    for (const { p50, p90, p99, max } of [result.latency.firstByte, result.latency.total]) {
      assert.ok(p50 > 0 && p50 <= p90 && p90 <= p99 && p99 <= max);
    }
    const shares = Object.values(result.shares).reduce((sum, share) => sum + share, 0);
    assert.ok(Math.abs(shares - 1) < 1e-4, `${shares}`);
    const page = await readFile(report, 'utf8');
    assert.not.match(page, /<[^>]*(?:src|href)=|url\(|@import|fetch\(|XMLHttpRequest/);
    assert.ok(page.includes('Where the time went') && page.includes('new uPlot'));
  });
});

test('a configuration of its own is measured, with the sinks it names', async () => {
  const { origin, stop } = await startServer(parseShape(['pages=2,items=2']));
  try {
    await inTemporary(async (dir) => {
      const config = join(dir, 'config.json');
      await writeFile(config, JSON.stringify(configurationFor(origin, parseShape([]))));
      const [json, to] = [join(dir, 'a.json'), `ndjson:${join(dir, 'out')}`];
      const { exit, out, err } = await play([config, '--to', to, '--repeat', '1', '--json', json]);
      assert.is(exit, 0, err);
      assert.match(out, /1\srun\safter\s1/);
      assert.ok(existsSync(join(dir, 'out', 'items.ndjson')));
      assert.equal((await readJson(json)).to, ['ndjson:']);
    });
  } finally {
    stop();
  }
});

test('an earlier result is set beside, with what differs in the set-up', async () => {
  await inTemporary(async (dir) => {
    const [before, report] = [join(dir, 'a.json'), join(dir, 'a.html')];
    assert.is((await play([...small, '--json', before])).exit, 0);
    const { exit, out, err } = await play([...small, '--shape', 'items=2', '--compare', before, '--report', report]);
    assert.is(exit, 0, err);
    assert.match(out.replaceAll('\n', ' '), /Compared with the generated API \(pages=4,items=3,item=tiny\) of \d{4}-/);
    assert.match(out, /before +now +ratio/);
    assert.match(out, /Not the same configuration/);
    assert.match(await readFile(report, 'utf8'), /Compared with an earlier measurement/);
  });
});

test('retries are counted', async () => {
  const { exit, out, err } = await play(['--server', '--shape', 'pages=3,items=1,limited=0.3,seed=3', '--repeat', '1']);
  assert.is(exit, 0, err);
  assert.match(out, /Requests that failed and were sent again, in all runs: \d/);
  assert.match(out, /retries +\d/);
});

test('a login and the wait for a rate are measured too', async () => {
  const api = await startApi({
    'POST /login': json({ token: 't-1' }),
    'GET /items': json([{ id: 1 }]),
  });
  const login = {
    type: 'login',
    loginRequest: { endpoint: 'login', method: 'POST' },
    apiRequest: { headers: { 'X-Token': { response: 'token' } } },
  };
  const config = {
    api: { baseUrl: api.origin, authentication: login, http: { rateLimit: '1/s' } },
    config: { jobs: [{ endpoint: 'items' }] },
  };
  try {
    const { exit, out, err } = await play(['-', '--repeat', '1', '--warm-up', '0'], { stdin: JSON.stringify(config) });
    assert.is(exit, 0, err);
    assert.match(out, /standard input: 1 page, 1 item to null:/);
    assert.match(out, / limit +\d/);
  } finally {
    await api.close();
  }
});

test('no secret shows in JSON and page', async () => {
  await inTemporary(async (dir) => {
    const [json, report, config] = [join(dir, 'a.json'), join(dir, 'a.html'), join(dir, 'hush-hush.json')];
    const { origin, stop } = await startServer(parseShape(['pages=1,items=1']));
    try {
      const job = { endpoint: 'items', dataField: 'data', dataType: 'hush-hush' };
      await writeFile(
        config,
        JSON.stringify({ api: { baseUrl: origin }, config: { '#token': 'hush-hush', jobs: [job] } }),
      );
      const words = [config, '--repeat', '1', '--json', json, '--report', report, '--job', 'hush-hush'];
      const { exit, out, err } = await play(words);
      assert.is(exit, 0, err);
      const texts = [out, err, await readFile(json, 'utf8'), await readFile(report, 'utf8')];
      assert.equal(
        texts.map((text) => text.includes('hush-hush')),
        [false, false, false, false],
      );
    } finally {
      stop();
    }
  });
});

test('a run that fails ends the measurement with its error and its totals', async () => {
  const { exit, out, err } = await play(['--server', '--shape', 'pages=2', '--set', 'config.jobs[0].endpoint=nowhere']);
  assert.is(exit, 1);
  assert.is(out, '');
  assert.match(err, /failed with status 404/);
  assert.match(err, /job +requests/);
});

test('a warning is shown once, not with each run', async () => {
  const { err } = await play([...small, '--set', 'config.jobs[0].dataField=wrong', '--repeat', '2']);
  assert.is(err.split('warning:').length, 2, err);
});

test('several runs against another host need a yes', async () => {
  const refused = await play(['-', '--repeat', '2'], { stdin: remote });
  assert.is(refused.exit, 1);
  assert.match(
    refused.err,
    /standard input sends requests to api\.example\.com, in 3 runs\. Add --yes if its owner allows that/,
  );
  await inTemporary(async (dir) => {
    const config = join(dir, 'config.json');
    await writeFile(config, remote);
    for (const stdin of ['n\n', '']) {
      const asked = await play([config, '--proxy', 'http://127.0.0.1:1'], { isTTY: true, stdin });
      assert.is(asked.exit, 1);
      assert.match(
        asked.err,
        /sends requests to api\.example\.com, a proxy, in 4 runs\. Does its owner allow that\? \[y\/N\]/,
      );
      assert.match(asked.err, /not confirmed: no request was sent/);
    }
  });
});

test('with a yes the runs begin', async () => {
  await inTemporary(async (dir) => {
    const config = join(dir, 'config.json');
    const { origin, stop } = await startServer(parseShape(['pages=1,items=1']));
    try {
      const written = { ...configurationFor(origin, parseShape([])), note: 'https://api.example.com/' };
      await writeFile(config, JSON.stringify(written));
      const { exit, err } = await play([config, '--repeat', '1'], { isTTY: true, stdin: 'yes\n' });
      assert.is(exit, 0, err);
      assert.is((await play([config, '--repeat', '1', '--yes'])).exit, 0);
      assert.is((await play([config, '--repeat', '1', '--warm-up', '0'])).exit, 0, 'a single run needs no question');
    } finally {
      stop();
    }
  });
});

test('the generated API is served until an interrupt, with its configuration', async () => {
  const shell = fakeShell();
  const ended = rxtract(['bench', '--listen', '0', '--shape', 'pages=1,items=2'], shell);
  while (shell.out() === '') await new Promise((resolve) => setImmediate(resolve));
  const { api } = JSON.parse(shell.out());
  assert.is(JSON.parse(await (await fetch(`${api.baseUrl}items`)).text()).data.length, 2);
  shell.signal('SIGINT');
  assert.is(await ended, 0);
  assert.match(
    shell.err(),
    /the generated API \(pages=1,items=2\) is at http:\/\/127\.0\.0\.1:\d+\/items until an interrupt/,
  );
});

test('an interrupt ends the measurement', async () => {
  const shell = fakeShell();
  const ended = rxtract(['bench', '--server', '--shape', 'latency=60000', '--quiet'], shell);
  while (shell.listeners() < 3) await new Promise((resolve) => setImmediate(resolve));
  shell.signal('SIGINT');
  assert.is(await ended, 130);
  assert.is(shell.out(), '');
});

const refused: readonly (readonly [words: readonly string[], message: RegExp])[] = [
  [[], /CONFIG is missing: .*; or give --server/],
  [['--server', 'config.json'], /--server takes no CONFIG, found "config\.json"; .*--listen/],
  [['--listen', '0', 'config.json'], /--listen takes no CONFIG/],
  [['--listen', '99999'], /--listen is a port from 0 to 65535, found "99999"/],
  [['config.json', '--shape', 'pages=1'], /--shape needs --server or --listen/],
  [['--server', '--repeat', '0'], /--repeat is a whole number from 1 to 1000, found "0"/],
  [['--server', '--repeat', '2000'], /--repeat is a whole number from 1 to 1000, found "2000"/],
  [['--server', '--to', 'stdout:'], /--to stdout: has no place in a measurement/],
  [['--server', '--json', ''], /--json needs a file/],
  [['--server', '--json', 'no/such/folder/a.json'], /--json no\/such\/folder\/a\.json: cannot be written: /],
  [['--server', '--report', '.', '--repeat', '1'], /--report \.: cannot be written: /],
  [['--server', '--compare', 'no-such.json'], /--compare no-such\.json: cannot be read: /],
  [['--server', '--compare', 'package.json'], /--compare package\.json: not a file that --json has written/],
  [['--server', '--compare', 'README.md'], /--compare README\.md: not a file that --json has written/],
];
for (const [words, message] of refused) {
  test(`bench ${words.join(' ')} is refused`, async () => {
    const { exit, err, out } = await play(words);
    assert.is(exit, 1);
    assert.match(err, message);
    assert.is(out, '');
  });
}

test('refused items are left out on request, and what has no effect is no option', async () => {
  const receiver = await startApi(() => ({ status: 422, body: 'too old' }));
  try {
    const words = [...small, '--repeat', '1', '--warm-up', '0', '--to', `${receiver.origin}/in#items=1`];
    const refused = await play(words);
    assert.is(refused.exit, 1);
    assert.match(refused.err, 'too old');
    const { exit, err } = await play([...words, '--on-item-error', 'skip']);
    assert.is(exit, 0, err);
    for (const option of ['--record', '--replay']) {
      assert.match((await play([...words, option, 'x'])).err, `unknown option "${option}"`);
    }
  } finally {
    await receiver.close();
  }
});

test.run();
