/** Credentials that the API refuses before they expire: one login more, and the request again. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { run } from '../../src/run/extract.js';
import { rejection } from '../sinks/lib.js';
import { configOf, json, login, type MockReply, onNetwork, pagenum, password } from '../support/mock-network.js';

const tokens = (...all: readonly string[]) => all.map((token) => json({ token }));
const refused = { status: 401, body: 'who are you?' };
const usersOf = (page: number) => `GET /users?limit=1&page=${page}`;

test(
  'a token rejected in the middle of a walk costs one login, and no item',
  onNetwork(
    {
      'POST /login': tokens('first-token', 'second-token'),
      [usersOf(1)]: json([{ id: 1 }]),
      [usersOf(2)]: [refused, json([{ id: 2 }])],
      [usersOf(3)]: json([]),
    },
    async ({ dispatcher, asked }) => {
      const to = memory();
      const config = configOf([{ endpoint: 'users' }], { ...login(), ...pagenum(1) }, password);
      const { jobs } = await run(config, { to, dispatcher });
      assert.equal(to.items(), [{ id: 1 }, { id: 2 }]);
      assert.equal(
        asked.map(({ headers }) => headers['x-token']),
        [undefined, 'first-token', 'first-token', undefined, 'second-token', 'second-token'],
      );
      assert.is(jobs[0]?.requests, 6);
    },
  ),
);

test(
  'a token rejected at once is retried once, and then it is the error',
  onNetwork(
    { 'POST /login': tokens('first-token', 'second-token'), 'GET /users': [refused, refused] },
    async ({ dispatcher }) => {
      const config = configOf([{ endpoint: 'users' }], login(), password);
      const error = await rejection(run(config, { dispatcher }), 'ERR_STATUS', /status 401: who are you\?/);
      assert.is(error.where.status, 401);
    },
  ),
);

const expired = { status: 200, body: '{"error":"token_expired"}' };
const behind = (length: number) => ({ ...expired, body: `${' '.repeat(length)}["token_expired"]` });

const ways: readonly {
  readonly what: string;
  readonly says: object;
  readonly answer: MockReply;
  readonly isRefusal: boolean;
  readonly api?: object;
}[] = [
  { what: 'a status that is listed', says: { refusedBy: [401, 403] }, answer: { status: 403 }, isRefusal: true },
  { what: 'a status written as a text', says: { refusedBy: ['403'] }, answer: { status: 403 }, isRefusal: true },
  { what: 'a status that is not listed', says: { refusedBy: [403] }, answer: refused, isRefusal: false },
  { what: '401, where nothing is listed', says: { refusedBy: [] }, answer: refused, isRefusal: true },
  { what: 'a text in a success', says: { refusedText: 'token_expired' }, answer: expired, isRefusal: true },
  {
    what: 'a text in an error of any status',
    says: { refusedText: 'token_expired' },
    answer: { ...expired, status: 400 },
    isRefusal: true,
  },
  { what: '401 beside a text', says: { refusedText: 'token_expired' }, answer: refused, isRefusal: true },
  { what: 'another text', says: { refusedText: 'other' }, answer: { ...expired, status: 400 }, isRefusal: false },
  { what: 'a text that ends 4 KiB', says: { refusedText: 'token_expired' }, answer: behind(4081), isRefusal: true },
  { what: 'a text further on', says: { refusedText: 'token_expired' }, answer: behind(4082), isRefusal: false },
  {
    what: 'a text in an error that is ignored',
    says: { refusedText: 'token_expired' },
    answer: { ...expired, status: 400 },
    isRefusal: true,
    api: { http: { ignoreErrors: [400] } },
  },
];

for (const { what, says, answer, isRefusal, api } of ways) {
  test(`${what} is ${isRefusal ? 'a' : 'no'} rejection`, () => {
    const routes = {
      'POST /login': isRefusal ? tokens('first-token', 'second-token') : tokens('first-token'),
      [usersOf(1)]: json([{ id: 1 }]),
      [usersOf(2)]: isRefusal ? [answer, json([{ id: 2 }])] : answer,
      ...(isRefusal ? { [usersOf(3)]: json([]) } : {}),
    };
    const made = { ...pagenum(1), ...api, ...login(says) };
    return onNetwork(routes, async ({ dispatcher }) => {
      const to = memory();
      const config = configOf([{ endpoint: 'users' }], { ...made, retryConfig: { maxRetries: 0 } }, password);
      const items = await run(config, { to, dispatcher, maxPages: isRefusal ? 9 : 2 }).then(
        () => to.items(),
        () => to.items(),
      );
      const passed = what === 'a text further on' ? ['token_expired'] : [];
      assert.equal(items, [{ id: 1 }, ...(isRefusal ? [{ id: 2 }] : passed)]);
    })();
  });
}

test(
  'a text that rejects every token is the error, with the response',
  onNetwork(
    { 'POST /login': tokens('first-token', 'second-token'), 'GET /users': [expired, expired] },
    async ({ dispatcher }) => {
      const config = configOf([{ endpoint: 'users' }], login({ refusedText: 'token_expired' }), password);
      const error = await rejection(
        run(config, { dispatcher }),
        'ERR_STATUS',
        /status 200: \{"error":"token_expired"\}/,
      );
      assert.is(error.where.status, 200);
    },
  ),
);

test('a response rejected by its text is closed, however long it is', async () => {
  const closed: Promise<unknown>[] = [];
  const server = createServer(({ url }, response) => {
    if (url === '/login') return void response.end(JSON.stringify({ token: `token-${closed.length}-of-mine` }));
    if (closed.length > 0) return void Promise.all(closed).then(() => response.end('[{"id":1}]'));
    closed.push(once(response, 'close'));
    response.write('{"error":"token_expired"}'.padEnd(8192));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const address = server.address();
    const port = address !== null && typeof address === 'object' ? address.port : 0;
    const api = { ...login({ refusedText: 'token_expired' }), baseUrl: `http://127.0.0.1:${port}/` };
    const to = memory();
    await run(configOf([{ endpoint: 'users' }], api, password), { to });
    assert.equal(to.items(), [{ id: 1 }]);
  } finally {
    server.close();
  }
});

test(
  'a token of `oauth2` is rejected by the listed statuses and texts too',
  onNetwork(
    {
      'POST /token': ['first', 'second'].map((token) => json({ access_token: `${token}-token`, token_type: 'Bearer' })),
      'GET /users': [{ status: 403 }, json([{ id: 1 }])],
    },
    async ({ dispatcher, asked }) => {
      const authentication = {
        ...{ type: 'oauth2', grant: 'client_credentials', tokenEndpoint: 'token', clientId: 'client-1' },
        ...{ clientSecret: { attr: '#password' }, refusedBy: [403] },
      };
      await run(configOf([{ endpoint: 'users' }], { authentication }, password), { dispatcher });
      assert.is(asked.at(-1)?.headers.authorization, 'Bearer second-token');
    },
  ),
);

for (const status of [200, 399, 600, 'x', 403.5]) {
  test(`a status that is no error is a problem: ${status}`, async () => {
    const work = () => run(configOf([{ endpoint: 'users' }], login({ refusedBy: [status] }), password));
    await rejection(work, 'ERR_CONFIG', /refusedBy\[0\]: expected a status from 400 to 599/);
  });
}

test(
  'a rejection by an origin without credentials, or without a login, is an error at once',
  onNetwork(
    {
      'POST /login': tokens('first-token'),
      'GET /users': { status: 302, headers: { Location: 'https://elsewhere.example/users' } },
      'GET https://elsewhere.example/users': refused,
      'GET /orders': refused,
    },
    async ({ dispatcher }) => {
      await rejection(run(configOf([{ endpoint: 'users' }], login(), password), { dispatcher }), 'ERR_STATUS');
      await rejection(run(configOf([{ endpoint: 'orders' }]), { dispatcher }), 'ERR_STATUS');
    },
  ),
);

test(
  'a rejected login is the error',
  onNetwork({ 'POST /login': refused }, async ({ dispatcher }) => {
    await rejection(run(configOf([{ endpoint: 'users' }], login(), password), { dispatcher }), 'ERR_STATUS', /login/);
  }),
);

test.run();
