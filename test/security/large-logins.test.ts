/**
 * Logins with more values than are remembered otherwise: none is forgotten while it is in use, in messages and in the
 * journal.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../src/cli/main-command.js';
import { inTemporary } from '../blackbox/command.js';
import { fakeShell } from '../cli/fake-shell.js';
import { items, json, plain, type Reply, startApi } from '../loopback/api.js';
import { finds } from './finding.js';

const refreshToken = 'the-refresh-token-1';
const session = 'the-session-of-the-login-1';
/** As a login answers that knows a user with many rights: what matters comes first. */
const reply = (n: number) => ({
  refresh_token: `${refreshToken}${n}`,
  session: `${session}${n}`,
  token: `access-token-${n}`,
  permissions: Array.from({ length: 2010 }, (_, index) => `permission-${n}-${index}`),
});

/** Runs one job with a login, as the command line does. `answer` is asked for pages. */
async function shown(
  answer: (page: number, origin: string) => Reply,
  words: readonly string[],
  authentication: object = {},
) {
  let [logins, pages] = [0, 0];
  const server = await startApi(({ target }) => {
    if (target.startsWith('/login')) return json(reply(++logins));
    return answer(++pages, server.origin);
  });
  const login = {
    type: 'login',
    loginRequest: { endpoint: 'login' },
    apiRequest: { headers: { 'X-Token': { response: 'token' } } },
    ...authentication,
  };
  const pagination = { method: 'response.url', urlKey: 'next' };
  const api = { baseUrl: `${server.origin}/`, retryConfig: { maxRetries: 0 }, authentication: login, pagination };
  const config = { jobs: [{ endpoint: 'users', dataType: 'users', dataField: 'data' }] };
  try {
    const shell = fakeShell({ stdin: JSON.stringify({ api, config }), env: { RXTRACT_DEBUG: '1' } });
    const exit = await rxtract(['run', '-', '--to', 'null:', ...words], shell);
    return { exit, text: `${shell.out()}${shell.err()}`, logins };
  } finally {
    await server.close();
  }
}

const forbidden = (text: string): Reply => ({ ...plain(text), status: 403 });

test('a rejection that quotes the first of 2,013 values of a login does not show it', async () => {
  const { exit, text } = await shown(() => forbidden(`no rights: ${refreshToken}1 permission-1-2009`), []);
  assert.is(exit, 1);
  assert.match(text, 'no rights: *** ***');
  assert.not.ok(finds(text, `${refreshToken}1`), text);
});

test('nor does one of a job that logs in before every request', async () => {
  const answer = (page: number, origin: string) =>
    page < 3
      ? json({ data: items(page, 1), next: `${origin}/more?page=${page}` })
      : forbidden(`${refreshToken}3 ${session}2`);
  const { text, logins } = await shown(answer, [], { expires: 0 });
  assert.is(logins, 3);
  assert.match(text, 'failed with status 403: *** ***');
});

test('a session of a large login that a next link carries is not written to the journal', () =>
  inTemporary(async (dir) => {
    const answer = (page: number, origin: string) =>
      page < 3 ? json({ data: items(page, 1), next: `${origin}/more?sid=${session}1&page=${page}` }) : forbidden('no');
    const { exit, text } = await shown(answer, ['--state', dir]);
    assert.is(exit, 1, text);
    const names = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
    assert.ok(names.length > 0);
    for (const each of names) {
      const kept = await readFile(join(each.parentPath, each.name), 'latin1');
      assert.not.ok(finds(kept, `${session}1`), each.name);
    }
  }));

test('the start of a body that is cut within a character shows nothing of a secret before the cut', async () => {
  const secret = 'prefix-of-the-secret-é-and-more';
  const at = Buffer.byteLength('prefix-of-the-secret-') + 1;
  const answer = () => forbidden(`${' '.repeat(64 * 1024 - at)}${secret}`);
  const loginRequest = { endpoint: 'login', headers: {}, params: { password: secret } };
  const { text } = await shown(answer, [], { loginRequest });
  assert.match(text, 'failed with status 403: ***');
  assert.not.ok(finds(text, secret), text);
});

test.run();
