import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { FoundRequest } from '../../../src/tools/init/found-request.js';
import { readHar } from '../../../src/tools/init/har.js';
import type { ReadContext } from '../../../src/tools/init/read-context.js';
import { failure } from '../../support/failure.js';
import { contextOf } from './read-context.js';

interface EntryOptions {
  readonly method?: string;
  readonly status?: number;
  readonly request?: object;
  readonly mimeType?: string;
  readonly content?: object;
}

const entry = (url: string, body: unknown, options: EntryOptions = {}): object => ({
  request: { method: options.method ?? 'GET', url, headers: [], ...options.request },
  response: {
    status: options.status ?? 200,
    content: {
      mimeType: options.mimeType ?? 'application/json; charset=utf-8',
      ...(body === undefined ? {} : { text: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...options.content,
    },
  },
});

const items = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));

const read = (entries: readonly unknown[], over: Partial<ReadContext> = {}): Promise<FoundRequest> =>
  readHar(JSON.stringify({ log: { version: '1.2', entries } }), 'app.har', contextOf(over));

const session = [
  entry('https://app.example/', '<html></html>', { mimeType: 'text/html' }),
  entry('https://app.example/api/me', { id: 1, roles: [{ id: 1 }] }),
  entry('https://app.example/api/users?page=1', { data: items(20) }),
  entry('https://app.example/api/users?page=2', { data: items(21) }),
  entry('https://app.example/api/orders', { orders: items(3) }),
  entry('https://app.example/api/old', { data: items(99) }, { status: 500 }),
  entry('https://app.example/api/users', { data: items(99) }, { method: 'PUT' }),
  entry('wss://app.example/socket', { data: items(99) }),
  null,
];

test('without a list the first response is read; a request without an address is refused', async () => {
  const found = await read([
    entry('https://app.example/api/me', { id: 1 }),
    entry('https://app.example/api/x', { id: 2 }),
  ]);
  assert.is(found.url.href, 'https://app.example/api/me');
  const broken = await failure(read([entry('', { data: items(3) }, { request: { url: 5 } })]));
  assert.is(broken.code, 'ERR_USAGE');
});

test('reads the first page of the largest list, and names the others', async () => {
  const found = await read(session);
  assert.is(found.url.href, 'https://app.example/api/users?page=1');
  assert.is(found.source, 'app.har, entry 3');
  assert.equal(found.notes, [
    'Other requests have lists too: entry 5, GET /api/orders, 3 items; entry 2, GET /api/me, 1 item. Choose with --entry.',
    'The request has no credentials: browsers leave cookies and Authorization out of a HAR file, unless it is saved with sensitive data.',
  ]);
});

test('reads the entry of --entry, or the one that is chosen', async () => {
  assert.is((await read(session, { entry: 5 })).url.pathname, '/api/orders');
  const asked: string[] = [];
  const found = await read(session, {
    choose: async (_, choices) => {
      asked.push(...choices.map(({ label }) => label));
      return '5';
    },
  });
  assert.is(found.url.pathname, '/api/orders');
  assert.equal(asked, [
    'entry 3, GET /api/users, 21 items',
    'entry 5, GET /api/orders, 3 items',
    'entry 2, GET /api/me, 1 item',
  ]);
});

test('refuses an --entry that is no JSON response, or no entry', async () => {
  const names =
    'try entry 3, GET /api/users, 21 items; entry 5, GET /api/orders, 3 items; entry 2, GET /api/me, 1 item';
  assert.is((await failure(read(session, { entry: 1 }))).message, `the response of entry 1 is no JSON: ${names}`);
  assert.is((await failure(read(session, { entry: 10 }))).message, `--entry is a number from 1 to 9: ${names}`);
});

test('distinguishes operations of GraphQL at one address', async () => {
  const call = (query: string, count: number) =>
    entry(
      'https://app.example/graphql',
      { data: { list: items(count) } },
      {
        method: 'POST',
        request: { postData: { mimeType: 'application/json', text: JSON.stringify({ query }) } },
      },
    );
  const found = await read([call('{ one { id } }', 1), call('{ two { id } }', 2)]);
  assert.equal(found.body, { kind: 'json', text: '{"query":"{ two { id } }"}' });
  assert.is(found.method, 'POST');
});

test('reads headers, cookies of their own list, and a form without its text', async () => {
  const request = {
    headers: [
      { name: ':method', value: 'POST' },
      { name: 'Accept', value: 'application/json' },
      { name: 'content-type', value: 'application/x-www-form-urlencoded' },
      { name: 'X-Csrf', value: 'c1' },
      { name: 'broken' },
    ],
    cookies: [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ],
    postData: {
      params: [
        { name: 'limit', value: '5' },
        { name: 'q', value: 'a b' },
      ],
    },
  };
  const found = await read([entry('https://app.example/list', items(2), { method: 'POST', request })]);
  assert.equal(found.headers, [
    ['Accept', 'application/json'],
    ['X-Csrf', 'c1'],
    ['Cookie', 'a=1; b=2'],
  ]);
  assert.equal(found.body, { kind: 'form', text: 'limit=5&q=a+b' });
  assert.equal(
    found.secrets.map(({ env }) => env),
    ['X_CSRF', 'COOKIE'],
  );
  assert.equal(found.notes, []);
});

test('reads a POST without a body, and cookies of the header only once', async () => {
  const headers = [{ name: 'cookie', value: 'a=1' }];
  const request = { headers, cookies: [{ name: 'a', value: '1' }], postData: { text: '' } };
  const found = await read([entry('https://app.example/list', items(2), { method: 'POST', request })]);
  assert.equal([found.headers, found.body], [[['cookie', 'a=1']], undefined]);
});

test('reads content in base64, JSON of another type, and responses that were not saved', async () => {
  const text = Buffer.from(JSON.stringify(items(4))).toString('base64');
  const base64 = entry('https://app.example/a', text, { content: { encoding: 'base64' } });
  assert.is((await read([base64, entry('https://app.example/b', items(1))])).url.pathname, '/a');
  assert.is((await read([entry('https://app.example/c', items(1), { mimeType: 'text/plain' })])).url.pathname, '/c');
  assert.is((await read([entry('https://app.example/d', undefined)])).url.pathname, '/d');
  assert.is((await read([entry('https://app.example/e', [[{ id: 1 }], 2])])).url.pathname, '/e');
});

test('hides segments of a path that may be secrets', async () => {
  const entries = [
    entry('https://app.example/bot9f8e7d6c5b4a3210ffee/list', items(1)),
    entry('https://app.example/other', items(2)),
  ];
  assert.match((await read(entries)).notes?.[0] ?? '', /entry 1, GET \/\*\*\*\/list, 1 item/);
});

test('refuses a file without JSON responses, and one that is no HAR file', async () => {
  const page = entry('https://app.example/', '<html></html>', { mimeType: 'text/html' });
  assert.is(
    (await failure(read([page]))).message,
    'app.har has no JSON response to a GET or POST in 1 request: open the page that shows the data with the network tab open, and save the file again',
  );
  const message = 'app.har is no HAR file: save one from the network tab of a browser';
  assert.is((await failure(readHar('{', 'app.har', contextOf()))).message, message);
  assert.is((await failure(readHar('{"log":{}}', 'app.har', contextOf()))).message, message);
});

test('an answer that names no entry is the largest list; contents without a type or a text are not read', async () => {
  const found = await read(session, { choose: async () => '99' });
  assert.is(found.url.pathname, '/api/users');
  const unsaved = entry('https://app.example/a', undefined, { mimeType: 'text/html' });
  const untyped = { request: { method: 'GET', url: 'https://app.example/b', headers: [] }, response: { status: 200 } };
  assert.is((await read([unsaved, untyped, entry('https://app.example/c', [])])).url.pathname, '/c');
  const values = entry('https://app.example/d', { list: [], names: ['a'] });
  assert.is((await read([values, entry('https://app.example/e', items(1))])).url.pathname, '/e');
});

test.run();
