/** Iterations: `config` once for each of them, overlaid key by key. docs/01-configuration.md#iterations. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { run } from '../../src/run/extract.js';
import { home, json, onNetwork } from '../support/mock-network.js';

const baseUrl = `${home}/`;

test(
  'run one after the other, whatever the concurrency; a member replaces that of `config` completely',
  onNetwork(
    {
      'GET /users?region=eu': json([{ id: 1 }]),
      'GET /users?region=us': json([{ id: 2 }]),
      'GET /orders': json([{ id: 3 }]),
    },
    async ({ dispatcher, asked, inFlight }) => {
      const jobs = [{ endpoint: 'users', params: { region: { attr: 'region' } } }];
      const http = { headers: { 'X-Base': 'base', 'X-Key': 'base' } };
      const iterations = [
        { region: 'eu' },
        { region: 'us', http: { headers: { 'X-Key': 'own' } } },
        { jobs: [{ endpoint: 'orders' }] },
      ];
      const to = memory();
      const summary = await run(
        { api: { baseUrl }, config: { jobs, http, region: 'none' }, iterations },
        { to, dispatcher, concurrency: 3 },
      );
      assert.equal(
        asked.map(({ line, headers }) => [line, headers['x-base'], headers['x-key']]),
        [
          ['GET /users?region=eu', 'base', 'base'],
          ['GET /users?region=us', undefined, 'own'],
          ['GET /orders', 'base', 'base'],
        ],
      );
      assert.is(inFlight.most, 1);
      assert.equal(to.items(), [{ id: 1 }, { id: 2 }, { id: 3 }]);
      assert.equal(
        summary.jobs.map(({ job, dataType }) => [job, dataType]),
        [
          ['users', 'users'],
          ['users#2', 'users'],
          ['orders', 'orders'],
        ],
      );
    },
  ),
);

test(
  'each logs in for itself, and has its own base address',
  onNetwork(
    {
      'GET /eu/login': json({ token: 'token-eu' }),
      'GET /eu/users': json([]),
      'GET /us/login': json({ token: 'token-us' }),
      'GET /us/users': json([]),
    },
    async ({ dispatcher, asked }) => {
      await run(
        {
          api: {
            baseUrl: { function: 'concat', args: [baseUrl, { attr: 'region' }, '/'] },
            authentication: {
              type: 'login',
              loginRequest: { endpoint: 'login' },
              apiRequest: { headers: { 'X-Token': { response: 'token' } } },
            },
          },
          config: { jobs: [{ endpoint: 'users' }] },
          iterations: [{ region: 'eu' }, { region: 'us' }],
        },
        { dispatcher },
      );
      assert.equal(
        asked.map(({ line, headers }) => [line, headers['x-token']]),
        [
          ['GET /eu/login', undefined],
          ['GET /eu/users', 'token-eu'],
          ['GET /us/login', undefined],
          ['GET /us/users', 'token-us'],
        ],
      );
    },
  ),
);

test(
  'an empty list of them is as good as none',
  onNetwork({ 'GET /users': json([]) }, async ({ dispatcher, lines }) => {
    await run({ api: { baseUrl }, config: { jobs: [{ endpoint: 'users' }] }, iterations: [] }, { dispatcher });
    assert.equal(lines(), ['GET /users']);
  }),
);

test(
  '`time` is the same for all of them: when the run began, and when the last one did',
  onNetwork({ 'GET /users?from=5&to=1700000000': [json([]), json([])] }, async ({ dispatcher, lines }) => {
    const jobs = [{ endpoint: 'users', params: { from: { time: 'previousStart' }, to: { time: 'end' } } }];
    const state = { time: { previousStart: 5, end: 1_700_000_000 } };
    await run({ api: { baseUrl }, config: { jobs }, iterations: [{ a: 1 }, { a: 2 }] }, { dispatcher, state });
    assert.is(lines().length, 2);
  }),
);

test.run();
