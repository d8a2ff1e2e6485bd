/** What `init` does with responses that are no list, with files that are there, and with methods it must not send. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, filesIn, inTemporary } from '../../blackbox/command.js';
import { type Answer, items, json, plain, type Reply, startApi } from '../../loopback/api.js';

const html: Reply = { headers: { 'content-type': 'text/html' }, body: '<!doctype html><html></html>' };

const refusals: readonly [what: string, reply: Reply, message: RegExp][] = [
  ['HTML', html, /answers with HTML, a page for people: .*as cURL/],
  ['HTML without a type', { body: '<html></html>' }, /answers with HTML/],
  ['plain text', plain('users: 3'), /answers with text\/plain, no JSON: try the header/],
  [
    'status 401',
    json({ error: 'token missing' }, { status: 401 }),
    /status 401: the API needs credentials: .*API_TOKEN/,
  ],
  [
    'status 401 that names Basic',
    { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } },
    /a user and a password: .*API_PASSWORD/,
  ],
  [
    'status 401 that names OAuth',
    { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
    /see `rxtract help oauth2`/,
  ],
  ['status 403', { status: 403 }, /status 403: the credentials may not read this address/],
  ['status 404', { status: 404 }, /status 404: there is nothing at this address/],
  ['status 405', { status: 405 }, /status 405: .*--body JSON/],
  ['status 422', json({ message: 'since is required' }, { status: 422 }), /status 422: .*since is required/],
  ['an empty list', json({ users: [] }), /the list at "users" is empty/],
  ['an empty list at the root', json([]), /the list is empty/],
  ['one object', json({ id: 1, name: 'Ada' }), /the response has no list: try the address of a list/],
  ['a text', json('hello'), /the response has no list/],
];

/** Runs `init` in a folder against one answer. */
const initAt = (answer: Answer, more: readonly string[] = []) =>
  inTemporary(async (folder) => {
    const api = await startApi(answer);
    try {
      const ended = await commandHere(['init', `${api.origin}/users`, '--out', join(folder, 'c.json'), ...more]);
      return { ...ended, requests: api.requests, files: await filesIn(folder) };
    } finally {
      await api.close();
    }
  });

for (const [what, reply, message] of refusals) {
  test(`${what} is one sentence with what to try, and nothing is written`, async () => {
    const { exit, stderr, files } = await initAt(() => reply);
    assert.is(exit, 1);
    assert.match(stderr, message);
    assert.match(stderr, 'ERR_INIT');
    assert.equal(files, {});
  });
}

test('a host that is not there is the error of the transport', async () => {
  const { exit, stderr } = await commandHere(['init', 'http://127.0.0.1:1/users', '--out', '-']);
  assert.is(exit, 1);
  assert.match(stderr, 'ERR_TRANSPORT');
  assert.match(stderr, 'Check host and port of the address, and that the server runs.');
  assert.match(stderr, /retrying in 1 s \(1 of 1\)/);
  assert.not.match(stderr, 'retryConfig', 'there is no configuration yet');
  assert.not.match(stderr, '10 seconds');
});

test('a POST is not sent without a yes', async () => {
  const { exit, stderr, requests } = await initAt(() => json(items(1, 3)), ['--body', '{}']);
  assert.is(exit, 1);
  assert.match(stderr, 'the request is a POST, which may change data: --allow-post sends it');
  assert.equal(requests.length, 0);
});

test('a file that is there is kept, unless --force replaces it', () =>
  inTemporary(async (folder) => {
    const file = join(folder, 'config.json');
    await writeFile(file, 'mine');
    const api = await startApi(() => json(items(1, 3)));
    const args = ['init', `${api.origin}/users`, '--out', file];
    const refused = await commandHere(args);
    assert.match(refused.stderr, 'is there already: --out FILE writes another file, --force replaces it');
    assert.equal([refused.exit, api.requests.length, await readFile(file, 'utf8')], [1, 0, 'mine']);
    assert.match((await commandHere(['init', '--out', file])).stderr, 'SOURCE is missing');
    const forced = await commandHere([...args, '--force']);
    assert.is(forced.exit, 0, forced.stderr);
    assert.match(await readFile(file, 'utf8'), '"endpoint": "users"');
    await api.close();
  }));

test('a folder that is not there is an error that names the file', () =>
  inTemporary(async (folder) => {
    const api = await startApi(() => json(items(1, 3)));
    const ended = await commandHere(['init', `${api.origin}/users`, '--out', join(folder, 'a', 'b.json')]);
    assert.match(ended.stderr, /b\.json cannot be written: ENOENT/);
    await api.close();
  }));

const wrong: readonly [args: readonly string[], message: RegExp][] = [
  [[], /SOURCE is missing/],
  [['http://h/a', 'b'], /expected one SOURCE, found "b" too/],
  [['ftp://h/a'], /begins with http:\/\/ or https:\/\//],
  [['users'], /users cannot be read: /],
  [['http://h/a', '--header', 'x'], /--header is "NAME: VALUE"/],
  [
    ['http://h/a', '--header', `X: \${NOT_THERE}`],
    /there is no variable "NOT_THERE" in the environment: export NOT_THERE=/,
  ],
  [['http://h/a', '--body', '[1]'], /--body is a JSON object/],
  [['http://h/a', '--body', '{'], /--body is a JSON object/],
  [['http://h/a', '--max-requests', '0'], /--max-requests is a whole number from 1/],
  [
    ['http://h/a?shape=7f3a9c2e41b0d866', '--keep', 'shap'],
    /--keep shap: the request has no .* of this name; did you mean "shape"\?; values that would become variables: shape/,
  ],
  [['http://h/a', '--keep', 'c'], /--keep c: the request has no parameter, header or member of this name\n/],
  [['http://h/a?api_key=x', '--keep', 'api_key'], /--keep api_key: a credential is never written/],
  [['http://h/a', '--out', ''], /--out needs a file/],
];

for (const [args, message] of wrong) {
  test(`wrong arguments: ${args.join(' ') || 'none'}`, async () => {
    const { exit, stderr } = await commandHere(['init', ...(args.includes('--out') ? [] : ['--out', '-']), ...args], {
      env: { HOME: '/' },
    });
    assert.is(exit, 1);
    assert.match(stderr, message);
  });
}

test('no more requests are sent than --max-requests allows, and what is written is said not to be proven', async () => {
  const page = (target: string) => Number(new URL(target, 'http://h').searchParams.get('page') ?? 1);
  const { exit, stderr, requests, files } = await initAt(
    ({ target }) => json({ users: items(page(target) * 10, 10) }),
    ['--max-requests', '2'],
  );
  assert.is(exit, 0, stderr);
  assert.is(requests.length, 2);
  assert.match(stderr, '--max-requests N allows more');
  assert.match(files['c.json'] ?? '', 'Pagination: none found');
});

test('the list and the name can be given', async () => {
  const body = { a: { users: items(1, 5) }, b: items(1, 2) };
  const named = await initAt(() => json(body), ['--list', 'b', '--name', 'others']);
  assert.match(named.files['c.json'] ?? '', /"dataField": "b",.*\n/);
  assert.match(named.files['c.json'] ?? '', /Other lists of the response: a\.users/);
  assert.match(named.files['c.json'] ?? '', '"dataType": "others"');
  const unknown = await initAt(() => json(body), ['--list', 'c']);
  assert.match(unknown.stderr, '--list c: the response has the lists a.users, b');
});

test('a stated total without a way to the other items is said', async () => {
  const { stderr } = await initAt(() => json({ total: 40, users: items(1, 10) }));
  assert.match(stderr, 'the API reports 40 items ("total")');
});

test('a next page that no parameter leads to is a warning', async () => {
  const { exit, stderr, files } = await initAt(() => json({ next_cursor: 'abc', users: items(1, 10) }));
  assert.is(exit, 0, stderr);
  assert.match(
    stderr,
    /warning: pagination: none found, although "next_cursor" announces more items\. .*\[next-page-ignored\]/,
  );
  assert.match(files['c.json'] ?? '', 'although "next_cursor" announces more items');
});

test('a header with a cursor is named, and the next steps promise one page', async () => {
  const headers = { 'content-type': 'application/json', 'x-next-cursor': 'abc' };
  const { stderr, files } = await initAt(() => json({ users: items(1, 10) }, { headers }));
  assert.match(stderr, 'although the header X-Next-Cursor announces more items');
  assert.match(stderr, /run '?\S+c\.json'? +writes the items of one page to out\/users\.ndjson/);
  assert.match(files['c.json'] ?? '', 'although the header X-Next-Cursor');
  const link = { 'content-type': 'application/json', 'x-next-url': 'http://h/users?cursor=abc' };
  const linked = await initAt(() => json({ users: items(1, 10) }, { headers: link }));
  assert.match(linked.stderr, 'although the header X-Next-Url announces more items');
  const without = await initAt(() => json({ users: items(1, 10) }));
  assert.match(without.stderr, 'pagination: none found; if the API has more items: `rxtract help pagination`');
});

test('credentials that the API refuses are not asked for again', async () => {
  const refuse = () => json({ error: 'expired' }, { status: 401 });
  const { stderr } = await initAt(refuse, ['--header', 'Authorization: Bearer abc-123-def']);
  assert.match(stderr, 'status 401: the API refuses the credentials of the request; check them: {"error":"expired"}');
});

test('rate limits of the headers become a rate, or are said', async () => {
  const reply = (headers: Readonly<Record<string, string>>) => () =>
    json({ next: null, users: items(1, 3) }, { headers });
  const stated = await initAt(reply({ 'content-type': 'application/json', 'ratelimit-policy': '"x";q=100;w=60' }));
  assert.match(stated.files['c.json'] ?? '', '"rateLimit": "100/m"');
  const left = await initAt(
    reply({ 'content-type': 'application/json', 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '57' }),
  );
  assert.match(left.stderr, 'rate limit: the responses state it (limit 60, 57 left)');
});

test('a name that a query has several times is said, since parameters beside it leave its last value', async () => {
  const api = await startApi(() => json({ users: items(1, 3) }));
  const init = (query: string) => commandHere(['init', `${api.origin}/users?${query}`, '--out', '-']);
  const { stderr } = await init('sort=id&sort=name&limit=2');
  assert.match(stderr, 'The query has "sort" several times: beside other parameters');
  assert.equal(
    api.requests.slice(0, 2).map(({ target }) => target.split('&').slice(0, 2).join('&')),
    ['/users?sort=id&sort=name', '/users?sort=name&limit=1'],
  );
  assert.not.match((await init('sort=id&order=name')).stderr, 'several times');
  await api.close();
});

test('standard output has the configuration alone', async () => {
  const api = await startApi(() => json({ users: items(1, 3) }));
  const { stdout, stderr } = await commandHere(['init', `${api.origin}/users`, '--out', '-']);
  assert.match(stdout, /^\/\/ Written by rxtract init\..*\}\n$/s);
  assert.match(stderr, 'written to standard output, after');
  await api.close();
});

test.run();
