/** What the jobs of a run share: logins, attempts, counts of requests, and hidden secrets. */

import { inspect } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import type { Configuration } from '../../src/config/configuration.js';
import type { Notice } from '../../src/core/model/notice.js';
import type { Receipt } from '../../src/core/model/page.js';
import { extract, run } from '../../src/run/extract.js';
import { rejection } from '../sinks/lib.js';
import {
  assertHidden,
  comeAgain,
  configOf,
  json,
  listener,
  login,
  type Network,
  onNetwork,
  pagenum,
  password,
} from '../support/mock-network.js';
import { startClock } from '../support/virtual-clock.js';

const token = (name: string) => json({ token: name });
const abc = [{ endpoint: 'a' }, { endpoint: 'b' }, { endpoint: 'c' }];
const abcPages = { 'GET /a': json([1]), 'GET /b': json([2]), 'GET /c': json([3]) };
const tokens = ({ asked }: Network) =>
  asked.flatMap(({ line, headers }) => (line.startsWith('GET') ? [headers['x-token']] : []));

for (const concurrency of [1, 3]) {
  test(
    `logs in once for all jobs, ${concurrency} at a time`,
    onNetwork({ 'POST /login': token('first token'), ...abcPages }, async (network) => {
      const { dispatcher } = network;
      const { jobs } = await run(configOf(abc, login(), password), { dispatcher, concurrency });
      assert.is(network.lines()[0], 'POST /login');
      assert.is(network.asked[0]?.body, '{"password":"correct horse"}');
      assert.equal(tokens(network), ['first token', 'first token', 'first token']);
      const requests = jobs.map((job) => job.requests);
      assert.is(
        requests.reduce((a, b) => a + b),
        4,
        'the login is counted once',
      );
    }),
  );
}

const paged = {
  'GET /a?limit=1&page=1': [comeAgain(503), json([1])],
  'GET /a?limit=1&page=2': json([]),
  'GET /b?limit=1&page=1': json([]),
};

test(
  'with `expires: 0` logs in before every page and retry, one request at a time, with one notice',
  onNetwork({ 'POST /login': ['one!', 'two!', 'three', 'four'].map(token), ...paged }, async (network) => {
    const { notify, codes } = listener();
    const api = { ...login({ expires: 0 }), ...pagenum(1) };
    const config = configOf([{ endpoint: 'a' }, { endpoint: 'b' }], api, password);
    const receipts: Receipt[] = [];
    const onReceipt = (receipt: Receipt) => void receipts.push(receipt);
    await run(config, { dispatcher: network.dispatcher, notify, onReceipt, concurrency: 4 });
    assert.is(network.inFlight.most, 1);
    assert.equal(network.lines(), [
      'POST /login',
      'GET /a?limit=1&page=1',
      'POST /login',
      'GET /a?limit=1&page=1',
      'POST /login',
      'GET /a?limit=1&page=2',
      'POST /login',
      'GET /b?limit=1&page=1',
    ]);
    assert.equal(tokens(network), ['one!', 'two!', 'three', 'four']);
    assert.equal(codes(), ['sequential-login']);
    assert.equal(
      receipts.map(({ requests, retries }) => [requests, retries]),
      [
        [4, 1],
        [2, 0],
        [2, 0],
      ],
    );
  }),
);

test('under strict a concurrency that `expires: 0` forbids is an error', async () => {
  const config = configOf(abc, login({ expires: 0 }), password);
  await rejection(async () => extract(config, { concurrency: 2, strict: true }), 'ERR_STRICT', /expires is 0/);
});

test(
  'logs in for every later request if credentials are expired on arrival, with one warning',
  onNetwork({ 'POST /login': ['one!', 'two!', 'three'].map(token), ...abcPages }, async (network) => {
    const { notify, codes } = listener();
    await run(configOf(abc, login({ expires: -1 }), password), { dispatcher: network.dispatcher, notify });
    assert.equal(tokens(network), ['one!', 'two!', 'three']);
    assert.equal(codes(), ['expired-at-login']);
  }),
);

test(
  'shares a login that is expired on arrival among all that waited for it',
  onNetwork({ 'POST /login': token('shared'), ...abcPages }, async (network) => {
    const options = { dispatcher: network.dispatcher, concurrency: 3 };
    await run(configOf(abc, login({ expires: -1 }), password), options);
    assert.equal(tokens(network), ['shared', 'shared', 'shared']);
  }),
);

test(
  'reuses a login that has not expired',
  onNetwork({ 'POST /login': json({ token: 'lasting', until: '2999-01-01' }), ...abcPages }, async (network) => {
    const api = login({ expires: { response: 'until' } });
    await run(configOf(abc, api, password), { dispatcher: network.dispatcher });
    assert.equal(tokens(network), ['lasting', 'lasting', 'lasting']);
  }),
);

/** Lets time pass before the walk continues. */
async function walkInTime(
  configuration: Configuration,
  { dispatcher }: Network,
  seconds: readonly number[],
): Promise<void> {
  const clock = startClock();
  const passing = [...seconds];
  try {
    await run(configuration, { dispatcher, onReceipt: () => clock.pass((passing.shift() ?? 0) * 1000) });
  } finally {
    clock.stop();
  }
}

test(
  'logs in again at the very second at which a login expires, and not before',
  onNetwork({ 'POST /login': [token('one!'), token('two!')], ...abcPages }, async (network) => {
    await walkInTime(configOf(abc, login({ expires: 60 }), password), network, [59.999, 0.001]);
    assert.equal(tokens(network), ['one!', 'one!', 'two!']);
  }),
);

test(
  'logs in again before a retry when the login has expired during the wait',
  onNetwork(
    { 'POST /login': [token('one!'), token('two!')], 'GET /a': [{ status: 503 }, { status: 503 }, json([1])] },
    async (network) => {
      const clock = startClock();
      const waits: string[] = [];
      const notify = ({ message }: Notice) => {
        waits.push(/retrying in (.*)/.exec(message)?.[1] ?? message);
        clock.passSoon(waits.length * 1000);
      };
      try {
        const config = configOf([{ endpoint: 'a' }], login({ expires: 2 }), password);
        await run(config, { dispatcher: network.dispatcher, notify });
      } finally {
        clock.stop();
      }
      assert.equal(waits, ['1 s (1 of 10, as `api.retryConfig.maxRetries` allows)', '2 s (2 of 10, 8 left)']);
      assert.equal(tokens(network), ['one!', 'one!', 'two!']);
    },
  ),
);

const twice = { retryConfig: { maxRetries: 1 } };

test(
  'a login has its own retries beside those of the page',
  onNetwork(
    { 'POST /login': [comeAgain(503), token('late token')], 'GET /a': [comeAgain(500), json([1])] },
    async ({ dispatcher }) => {
      const { notify, notices } = listener();
      const { jobs } = await run(configOf([{ endpoint: 'a' }], { ...login(), ...twice }, password), {
        dispatcher,
        notify,
      });
      assert.equal([jobs[0]?.requests, jobs[0]?.retries], [4, 1]);
      assert.equal(
        notices.map(({ level, code, job }) => [level, code, job]),
        [
          ['info', 'retry', undefined],
          ['info', 'retry', 'a'],
        ],
      );
    },
  ),
);

test(
  'does not try a page again whose login has had its attempts',
  onNetwork({ 'POST /login': [comeAgain(503), comeAgain(503)] }, async ({ dispatcher }) => {
    const extraction = configOf([{ endpoint: 'a' }], { ...login(), ...twice }, password);
    const error = await rejection(run(extraction, { dispatcher }), 'ERR_STATUS', /POST .*login.* 503/);
    assert.equal([error.where.job, error.where.page], ['a', 0]);
  }),
);

test(
  'a status below 400 that is listed for retries is a success at the last attempt',
  onNetwork({ 'GET /a': [comeAgain(202), comeAgain(202), { ...json([1]), status: 202 }] }, async ({ dispatcher }) => {
    const api = { retryConfig: { maxRetries: 2, http: { codes: [202] } } };
    const to = memory();
    const { jobs } = await run(configOf([{ endpoint: 'a' }], api), { to, dispatcher });
    assert.equal(to.items(), [1]);
    assert.equal([jobs[0]?.requests, jobs[0]?.retries], [3, 2]);
  }),
);

test(
  'does not retry statuses that are not listed',
  onNetwork({ 'GET /a': { status: 404, body: 'no such thing' } }, async ({ dispatcher }) => {
    const error = await rejection(run(configOf([{ endpoint: 'a' }]), { dispatcher }), 'ERR_STATUS', /no such thing/);
    assert.equal(error.where, {
      job: 'a',
      page: 0,
      request: 'GET https://api.example/a',
      status: 404,
    });
  }),
);

const moved = (to: string) => ({ status: 302, headers: { location: to } });

test(
  'counts redirects, of logins and of attempts that failed too',
  onNetwork(
    {
      'POST /login': moved('/session'),
      'GET /session': token('moved on'),
      'GET /a': [moved('/b'), moved('/c')],
      'GET /b': comeAgain(503),
      'GET /c': json([1]),
    },
    async ({ dispatcher, asked }) => {
      const config = configOf([{ endpoint: 'a' }], login(), password);
      const { jobs } = await run(config, { dispatcher });
      assert.is(asked.length, 6);
      assert.equal([jobs[0]?.requests, jobs[0]?.retries], [6, 1]);
    },
  ),
);

test(
  'sums up results and requests after a failure',
  onNetwork(
    {
      'GET /a?limit=1&page=1': json([1]),
      'GET /a?limit=1&page=2': [comeAgain(503), comeAgain(503)],
    },
    async ({ dispatcher }) => {
      const config = configOf([{ endpoint: 'a' }, { endpoint: 'b' }], { ...pagenum(1), ...twice });
      const { receipts, closed, summary } = extract(config, { dispatcher });
      const error = new Promise((resolve) => receipts.subscribe({ error: resolve }));
      await rejection(
        error.then((thrown) => Promise.reject(thrown)),
        'ERR_STATUS',
      );
      await closed;
      assert.equal(
        summary().jobs.map(({ job, requests, retries, pages, items, stop }) => [
          job,
          requests,
          retries,
          pages,
          items,
          stop,
        ]),
        [
          ['a', 3, 1, 1, 1, 'failed'],
          ['b', 0, 0, 0, 0, 'not started'],
        ],
      );
    },
  ),
);

/** Where secrets are: a query, a header, the login, and its result. */
const api = { ...login(), http: { headers: { 'X-Api-Key': 'header secret' } } };
const config = configOf([{ endpoint: 'a', params: { key: { attr: '#key' } } }], api, {
  ...password,
  '#key': 'query secret',
});
const secrets = [
  'header secret',
  'query secret',
  'query+secret',
  'query%20secret',
  'correct horse',
  'a token of theirs',
];

test(
  'shows no secret in an error, wherever the response has it',
  onNetwork(
    {
      'POST /login': json({ token: 'a token of theirs' }),
      'GET /a?key=query%20secret': { status: 400, body: `you sent ${secrets.join(', ')}` },
    },
    async ({ dispatcher }) => {
      const error = await rejection(run(config, { dispatcher }), 'ERR_STATUS', /you sent \*\*\*/);
      const shown = [error.message, error.stack, error.where.request, inspect(error, { depth: null })];
      for (const secret of secrets) assertHidden(secret, shown);
      assert.is(error.where.request, 'GET https://api.example/a?key=***');
    },
  ),
);

test(
  'shows no secret of a cause, nor of its members',
  onNetwork(
    { 'POST /login': json({ token: 'a token of theirs' }), 'GET /a?key=query%20secret': json([1]) },
    async ({ dispatcher }) => {
      const write = () => {
        const cause = Object.assign(new Error('socket of a token of theirs'), { sent: 'query secret', code: 'EPIPE' });
        throw Object.assign(new Error('broken by correct horse', { cause }), { options: { key: 'query secret' } });
      };
      const aborted: unknown[] = [];
      const sink = { write, close: () => {}, abort: (reason: unknown) => void aborted.push(reason) };
      const error = await rejection(run(config, { dispatcher, to: sink }), 'ERR_SINK', /broken by \*\*\*/);
      const shown = [inspect(error, { depth: null, showHidden: true }), inspect(aborted, { depth: null })];
      for (const secret of secrets) assertHidden(secret, shown);
      assert.is(aborted.length, 1);
    },
  ),
);

test(
  'still names jobs if a login has the same words',
  onNetwork(
    { 'POST /login': json({ token: 'a token of theirs', scope: 'orders' }), 'GET /orders': { status: 400 } },
    async ({ dispatcher }) => {
      const orders = configOf([{ endpoint: 'orders' }], login(), password);
      const error = await rejection(run(orders, { dispatcher }), 'ERR_STATUS');
      assert.is(error.where.request, 'GET https://api.example/orders');
    },
  ),
);

test(
  'shows no secret in a notice',
  onNetwork(
    {
      'POST /login': json({ token: 'a token of theirs' }),
      'GET /a?key=query%20secret': [{ ...comeAgain(503), body: secrets.join() }, json([])],
    },
    async ({ dispatcher }) => {
      const { notify, notices } = listener();
      await run(config, { dispatcher, notify });
      assert.is(notices.length, 1);
      for (const secret of secrets) assertHidden(secret, [notices[0]?.message]);
    },
  ),
);

test(
  'rejects an endless login response',
  onNetwork({ 'POST /login': { body: 'x'.repeat(16 * 1024 * 1024 + 1) } }, async ({ dispatcher }) => {
    const work = run(configOf(abc, login({ format: 'text' }), password), { dispatcher });
    await rejection(work, 'ERR_LOGIN', /larger than/);
  }),
);

test('rejects a base address whose expression is invalid', async () => {
  const broken = configOf(abc, { baseUrl: { attr: 'nothing' } }, { nothing: null });
  await rejection(() => run(broken), 'ERR_CONFIG');
});

test(
  'reports that the login failed',
  onNetwork({ 'POST /login': { status: 401, body: 'no' } }, async ({ dispatcher }) => {
    const config = configOf([{ endpoint: 'a' }], login({}), password);
    const error = await rejection(run(config, { dispatcher }), 'ERR_STATUS');
    assert.match(error.message, /^the login request (POST|GET) .* failed with status 401: no/);
    assert.equal([error.where.login, error.where.status], [true, 401]);
  }),
);

test.run();
