/**
 * What a configuration can reach: HTTP addresses only. No files, no commands, no environment that was not passed in.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../src/cli/main-command.js';
import { safeName } from '../../src/core/tables/safe-names.js';
import { run } from '../../src/run/extract.js';
import { inTemporary, ownCommand } from '../blackbox/command.js';
import { fakeShell } from '../cli/fake-shell.js';
import { items, json, startApi } from '../loopback/api.js';
import { importsOf, sources } from '../rules/sources.js';
import { rejection } from '../sinks/lib.js';
import { failure } from '../support/failure.js';
import { unchecked } from '../unchecked.js';

const shipped = ['src', 'operators', 'sinks'].flatMap((folder) => sources(folder, /\.ts$/));
const job = { endpoint: 'users', dataType: 'users' };
const api = { baseUrl: 'http://127.0.0.1:1/', retryConfig: { maxRetries: 0 } };

test('no source starts a process, or makes code of a text', () => {
  const starting = /^node:(child_process|vm|worker_threads|cluster|repl|inspector)|^(child_process|vm)$/;
  assert.ok(shipped.length > 200);
  assert.equal(
    shipped
      .filter((source) => importsOf(source).some((each) => starting.test(each)))
      .map(({ path }) => path)
      .sort(),
    [
      'src/config/secret-sources.ts', // a secret from the command that a `#` key names
      'src/tools/bench/start-server.ts', // the server of `rxtract bench`, from a file beside it
      'src/tools/rehearse/rehearse-configuration.ts', // the run of `rxtract rehearse` that is killed
      'src/tools/test/case-worker.ts',
      'src/tools/test/run-cases.ts', // the cases of `rxtract test`, workers from a file beside it
      'src/tools/ui/open-browser.ts', // the browser of the system, for `rxtract ui` at a terminal
    ],
  );
  const making = /\beval\(|\bnew Function\(|\bprocess\.binding\(|\bprocess\.dlopen\(/;
  assert.equal(
    shipped.filter(({ content }) => making.test(content)).map(({ path }) => path),
    [],
  );
});

test('reading a configuration reads no other file, but for a secret that a `#` key names', () => {
  const readers = /^src\/(config|auth|expression|pagination|children|date|schema)\//;
  const opened = shipped
    .filter(({ path }) => readers.test(path))
    .filter((source) => importsOf(source).some((each) => /^(node:)?fs\b/.test(each)));
  assert.equal(
    opened.map(({ path }) => path),
    ['src/config/secret-sources.ts'],
  );
});

const path = join(import.meta.dirname, 'reach.test.ts');
const refused: readonly (readonly [what: string, document: object])[] = [
  ['baseUrl', { api: { baseUrl: `file://${path}` }, config: { jobs: [job] } }],
  ['baseUrl of an expression', { api: { baseUrl: { attr: 'a' } }, config: { a: `file://${path}`, jobs: [job] } }],
  ['an endpoint', { api, config: { jobs: [{ ...job, endpoint: `file://${path}` }] } }],
  ['an endpoint that is data', { api, config: { jobs: [{ ...job, endpoint: 'data:application/json,[1]' }] } }],
  [
    'a login endpoint',
    {
      api: { ...api, authentication: { type: 'login', loginRequest: { endpoint: `file://${path}` } } },
      config: { jobs: [job] },
    },
  ],
  ['caCertificate', { api: { ...api, caCertificate: path }, config: { jobs: [job] } }],
  ['#clientCertificate', { api: { ...api, '#clientCertificate': path }, config: { jobs: [job] } }],
  [
    '#privateKey of sshProxy',
    { api, config: { jobs: [job] }, sshProxy: { host: '127.0.0.1', port: 1, user: 'joe', '#privateKey': path } },
  ],
];

for (const [what, document] of refused) {
  test(`the path of a file as ${what} is rejected, and nothing is read`, async () => {
    const error = await failure(run(unchecked(document)));
    assert.ok(['ERR_CONFIG', 'ERR_REQUEST'].includes(error.code), `${error.code}: ${error.message}`);
  });
}

for (const target of [
  'file:///etc/hostname',
  'data:application/json,[1]',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:1/x',
]) {
  test(`a redirect to ${target} is not followed`, async () => {
    const server = await startApi(() => ({ status: 302, headers: { location: target } }));
    try {
      await rejection(run({ api: { ...api, baseUrl: `${server.origin}/` }, config: { jobs: [job] } }), 'ERR_REDIRECT');
    } finally {
      await server.close();
    }
  });
}

test('$schema is not fetched', async () => {
  const server = await startApi(() => json([]));
  try {
    const document = { $schema: `${server.origin}/schema.json`, api: { ...api, baseUrl: `${server.origin}/` } };
    await run({ ...document, config: { jobs: [job] } });
    assert.equal(
      server.requests.map(({ target }) => target),
      ['/users'],
    );
  } finally {
    await server.close();
  }
});

test('the environment is not looked at in code unless it is handed in', async () => {
  const [name = 'PATH'] = Object.keys(process.env);
  const document = { api, config: { key: { env: name }, jobs: [job] } };
  const error = await rejection(run(document), 'ERR_CONFIG');
  assert.match(error.message, 'no environment was given');
});

const outside = [
  '../outside',
  '../../outside',
  '/tmp/outside',
  '..',
  '.',
  'a/../../../outside',
  '..\\outside',
  'C:outside',
  '\0outside',
  'x'.repeat(300),
];

test('no name in a configuration leads out of the folder that items go to', () =>
  inTemporary(async (dir) => {
    const server = await startApi(() => json(items(1, 1)));
    const data = join(dir, 'deep', 'data');
    const out = join(dir, 'deep', 'out');
    try {
      await mkdir(join(data, 'in'), { recursive: true });
      const jobs = outside.map((dataType, index) => ({ endpoint: `users/${index}`, dataType }));
      const base = { ...api, baseUrl: `${server.origin}/` };
      const document = { api: base, config: { outputBucket: '../../outside', id: '../outside', jobs } };
      await writeFile(join(data, 'config.json'), JSON.stringify(document));
      for (const words of [
        ['--data-dir', data],
        ['-', '--to', `ndjson:${out}`],
      ]) {
        const shell = fakeShell({ stdin: JSON.stringify(document) });
        assert.is(await rxtract(['run', ...words], shell), 0, shell.err());
      }
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      const files = entries.filter((each) => each.isFile()).map((each) => each.parentPath);
      const tables = new Set(outside.map((each) => safeName(each)));
      assert.is(files.length, 2 + outside.length + tables.size * 2);
      assert.equal([...new Set(files)].sort(), [data, join(data, 'out'), join(data, 'out', 'tables'), out].sort());
    } finally {
      await server.close();
    }
  }));

test('no variable of the environment leads requests through a proxy', () =>
  inTemporary(async (dir) => {
    const [server, proxy] = [await startApi(() => json(items(1, 1))), await startApi(() => json([]))];
    try {
      await writeFile(join(dir, 'config.json'), documentText({ ...api, baseUrl: `${server.origin}/` }));
      const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
      const proxies = Object.fromEntries(names.map((name) => [name, proxy.origin]));
      const env = { ...proxies, NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' };
      const { exit, stderr } = await ownCommand(['run', 'config.json', '--to', 'null:'], { cwd: dir, env });
      assert.is(exit, 0, stderr);
      assert.equal([server.requests.length, proxy.requests.length], [1, 0]);
    } finally {
      await Promise.all([server.close(), proxy.close()]);
    }
  }));

const documentText = (base: object): string => JSON.stringify({ api: base, config: { jobs: [job] } });

test.run();
