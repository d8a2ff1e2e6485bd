/** Credentials that the API refuses before they expire: one login more, and the request again. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../sinks/index.js';
import { run } from '../src/extract.js';
import { configOf, json, login, onNetwork, pagenum, password } from './mock-network.js';
import { rejection } from './sinks/lib.js';

const tokens = (...all: readonly string[]) => all.map((token) => json({ token }));
const refused = { status: 401, body: 'who are you?' };
const usersOf = (page: number) => `GET /users?limit=1&page=${page}`;

test(
  'a token that is refused in the middle of a walk costs one login, and no item',
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
  'a token that is refused at once is asked for a second time, and then it is the error',
  onNetwork(
    { 'POST /login': tokens('first-token', 'second-token'), 'GET /users': [refused, refused] },
    async ({ dispatcher }) => {
      const config = configOf([{ endpoint: 'users' }], login(), password);
      const error = await rejection(run(config, { dispatcher }), 'ERR_STATUS', /answered 401: who are you\?/);
      assert.is(error.where.status, 401);
    },
  ),
);

test(
  'a refusal by an origin that gets no credentials, and one without a login, are errors at once',
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
  'a login that is refused is the error',
  onNetwork({ 'POST /login': refused }, async ({ dispatcher }) => {
    await rejection(run(configOf([{ endpoint: 'users' }], login(), password), { dispatcher }), 'ERR_STATUS', /login/);
  }),
);

test.run();
