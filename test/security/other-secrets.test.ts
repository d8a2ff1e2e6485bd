/**
 * Secrets that no request carries: keys of tunnels and certificates, changes by the command line, and files that a run
 * leaves.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../src/cli/main-command.js';
import { inTemporary } from '../blackbox/command.js';
import { fakeShell } from '../cli/fake-shell.js';
import { items, json, startApi } from '../loopback/api.js';
import { makeCertificates } from '../loopback/certificates.js';
import { finds } from './finding.js';

const secret = 'Tok3n/+planted&=~9$x';
const token = 'T0ken-of-the-login-9x';
const job = { endpoint: 'users', dataType: 'users' };
const api = { baseUrl: 'http://127.0.0.1:1/', retryConfig: { maxRetries: 0 } };

/** The output of the command for a document, and its result. */
async function shown(words: readonly string[], document: object) {
  const shell = fakeShell({ stdin: JSON.stringify(document), env: { RXTRACT_DEBUG: '1' } });
  const exit = await rxtract(words, shell);
  return { exit, text: `${shell.out()}${shell.err()}` };
}

const { client, server } = makeCertificates();
const lineOf = (pem: string): string => pem.split('\n')[1] ?? '';
const sshProxy = { host: '127.0.0.1', port: 1, user: 'joe' };

const keys: readonly (readonly [what: string, document: object, hidden: readonly string[]])[] = [
  ['an SSH key that cannot be read', { sshProxy: { ...sshProxy, '#privateKey': secret } }, [secret]],
  [
    'the passphrase of an SSH key that has none',
    { sshProxy: { ...sshProxy, '#privateKey': client.key, '#passphrase': secret } },
    [secret, lineOf(client.key)],
  ],
  ['a client certificate that is none', { api: { ...api, '#clientCertificate': secret } }, [secret]],
  [
    'a client certificate with the key of another one',
    { api: { ...api, '#clientCertificate': `${client.cert}${server.key}` } },
    [lineOf(server.key), lineOf(client.cert)],
  ],
  [
    'a client certificate of a request that fails',
    { api: { ...api, '#clientCertificate': `${client.cert}${client.key}` } },
    [lineOf(client.key)],
  ],
];

for (const [what, more, hidden] of keys) {
  test(`${what} does not show`, async () => {
    for (const command of [
      ['run', '-', '--to', 'null:'],
      ['validate', '-'],
    ]) {
      const { text } = await shown([...command, '--log', 'json'], { api, config: { jobs: [job] }, ...more });
      for (const one of hidden) assert.not.ok(finds(text, one), `${command}: ${text}`);
    }
  });
}

for (const change of [
  `config.#token=${secret}`,
  `config={"#token":"${secret}"}`,
  `config.jobs[7]=${secret}`,
  `config.jobs[0].endpoint.deep=${secret}`,
  `api.pagination=${secret}`,
  `api.baseUrl=ftp://${secret}`,
  `nothing.like.it=${secret}`,
]) {
  test(`--set ${change.slice(0, change.indexOf('='))}: a rejected value does not show`, async () => {
    const { exit, text } = await shown(['validate', '-', '--set', change], { api, config: { jobs: [job] } });
    assert.is(exit, 1, text);
    assert.not.ok(finds(text, secret), text);
  });
}

test('nothing of a data folder holds a secret but its configuration and the items', () =>
  inTemporary(async (dir) => {
    const server = await startApi(() => json(items(1, 2)));
    try {
      await mkdir(join(dir, 'in'), { recursive: true });
      const http = { headers: { 'X-Key': { attr: '#key' } } };
      const config = {
        '#key': secret,
        userData: { sign: { function: 'sha1', args: [{ attr: '#key' }] } },
        jobs: [job],
      };
      const document = { api: { baseUrl: `${server.origin}/`, http }, config };
      await writeFile(join(dir, 'config.json'), JSON.stringify(document));
      const { exit, text } = await shown(['run', '--data-dir', dir], {});
      assert.is(exit, 0, text);
      const names = await readdir(join(dir, 'out'), { recursive: true, withFileTypes: true });
      const files = names.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
      assert.is(files.length, 3, 'the table, its manifest and the state');
      for (const file of files) assert.not.ok(finds(await readFile(file, 'utf8'), secret), file);
    } finally {
      await server.close();
    }
  }));

/** All files below the folder, as one text each. */
async function textsIn(dir: string): Promise<readonly string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  return Promise.all(files.map((file) => readFile(file, 'latin1')));
}

const withSecrets = (origin: string, more: object = {}) => ({
  api: {
    baseUrl: `${origin}/`,
    retryConfig: { maxRetries: 0 },
    http: { headers: { 'X-Key': { attr: '#key' } } },
    authentication: {
      type: 'login',
      loginRequest: { endpoint: 'login', params: { password: { attr: '#key' } } },
      apiRequest: { query: { token: { response: 'token' } }, headers: { 'X-Token': { response: 'token' } } },
    },
    pagination: { method: 'response.url', urlKey: 'next', includeParams: true },
  },
  config: {
    '#key': secret,
    jobs: [{ ...job, dataField: 'data', params: { key: { attr: '#key' }, sign: { env: 'KEY' } } }],
  },
  ...more,
});

/** Runs until the third page fails; `echo` is in the link to the second. */
async function broken(dir: string, words: readonly string[], echo: string): Promise<void> {
  const server = await startApi(({ target }) => {
    if (target.startsWith('/login')) return json({ token, refresh_token: token });
    if (target.startsWith('/users')) return json({ data: items(1, 2), next: `/more${echo}` });
    return json({ data: items(3, 2), next: '/last' }, target.startsWith('/more') ? {} : { status: 500 });
  });
  try {
    const document = withSecrets(server.origin, { cache: { ttl: 60 } });
    const shell = fakeShell({ stdin: JSON.stringify(document), env: { KEY: secret } });
    assert.is(await rxtract(['run', '-', '--to', `ndjson:${join(dir, 'out')}`, ...words], shell), 1, shell.err());
    assert.match(shell.err(), 'failed with status 500');
  } finally {
    await server.close();
  }
}

for (const [what, option, echo] of [
  ['the journal of a run that broke off', '--state', `?token=${token}&key=${encodeURIComponent(secret)}`],
  ['cached responses, which are as the API gave them,', '--cache-dir', ''],
] as const) {
  test(`${what} contain no secret that was sent`, () =>
    inTemporary(async (dir) => {
      const folder = join(dir, 'kept');
      const elsewhere = option === '--state' ? ['--cache-dir', join(dir, 'cache')] : [];
      await broken(dir, [option, folder, ...elsewhere], echo);
      const texts = await textsIn(folder);
      assert.ok(texts.length > 0, 'there are files');
      for (const each of texts) for (const one of [secret, token]) assert.not.ok(finds(each, one), each);
    }));
}

test.run();
