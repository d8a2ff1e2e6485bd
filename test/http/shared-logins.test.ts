/** Logins that several clients share: iterations of a run, and extractions. */
import { asyncScheduler, lastValueFrom, NEVER, of, Subject, throwError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Credentials } from '../../src/auth/types.js';
import type { Notice } from '../../src/core/model/notice.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { createCredentialBroker, createLoginBroker } from '../../src/http/credential-broker.js';
import { createRateLimiter, type RateLimiter } from '../../src/http/rate-limiter.js';
import { createCredentialHolder, createCredentials } from '../../src/http/with-credentials.js';
import { extract, run } from '../../src/run/extract.js';
import { failure } from '../support/failure.js';
import { home, json, type Network, onNetwork } from '../support/mock-network.js';

const baseUrl = `${home}/`;
const authentication = {
  type: 'login',
  loginRequest: { endpoint: 'login', method: 'POST', params: { user: { attr: 'user' } } },
  apiRequest: { headers: { 'X-Token': { response: 'token' } } },
  shared: true,
} as const;
const jobs = [{ endpoint: 'users', params: { region: { attr: 'region' } } }] as const;
const config = { jobs, user: 'ann', region: 'none' } as const;
const iterations = [{ region: 'eu' }, { region: 'us' }, { region: 'eu', user: 'bob' }] as const;
const token = (name: string) => json({ token: name });
const tokens = ({ asked }: Network) => asked.map(({ line, headers }) => `${line} ${headers['x-token'] ?? '-'}`);

test(
  '`shared` is one login for iterations whose login requests are identical',
  onNetwork(
    {
      'POST /login': [token('token-ann'), token('token-bob')],
      'GET /users?region=eu': [json([]), json([])],
      'GET /users?region=us': json([]),
    },
    async (network) => {
      await run({ api: { baseUrl, authentication }, config, iterations }, { dispatcher: network.dispatcher });
      assert.equal(tokens(network), [
        'POST /login -',
        'GET /users?region=eu token-ann',
        'GET /users?region=us token-ann',
        'POST /login -',
        'GET /users?region=eu token-bob',
      ]);
    },
  ),
);

test(
  'values of an iteration in `apiRequest` keep logins apart',
  onNetwork(
    {
      'POST /login': [token('token-1'), token('token-2')],
      'GET /users?region=eu': json([]),
      'GET /users?region=us': json([]),
    },
    async ({ dispatcher, asked }) => {
      const headers = { 'X-Token': { response: 'token' }, 'X-Region': { attr: 'region' } } as const;
      const own = { ...authentication, apiRequest: { headers } };
      await run({ api: { baseUrl, authentication: own }, config, iterations: iterations.slice(0, 2) }, { dispatcher });
      assert.equal(
        asked.flatMap(({ line, headers }) => (line.startsWith('GET') ? [headers['x-region']] : [])),
        ['eu', 'us'],
      );
    },
  ),
);

test(
  'the time in a login request keeps no logins apart',
  onNetwork(
    { 'POST /login': token('token-1'), 'GET /users?region=none': [json([]), json([])] },
    async ({ dispatcher, asked }) => {
      const loginRequest = { endpoint: 'login', method: 'POST', params: { at: { function: 'time' } } } as const;
      const own = { ...authentication, loginRequest };
      const credentials = createCredentialBroker();
      const { now } = asyncScheduler;
      try {
        for (const hours of [0, 1]) {
          asyncScheduler.now = () => now() + hours * 3_600_000;
          await run({ api: { baseUrl, authentication: own }, config }, { dispatcher, credentials });
        }
      } finally {
        asyncScheduler.now = now;
      }
      assert.equal([asked.length, credentials.size], [3, 1]);
    },
  ),
);

test(
  'the token of a shared OAuth 2.0 login serves all iterations, and a rejected one is renewed for all',
  onNetwork(
    {
      'POST /token': [json({ access_token: 'access-1' }), json({ access_token: 'access-2' })],
      'GET /users?region=eu': json([]),
      'GET /users?region=us': [{ status: 401 }, json([])],
      'GET /users?region=all': json([]),
    },
    async ({ dispatcher, asked }) => {
      const oauth2 = {
        type: 'oauth2',
        grant: 'client_credentials',
        tokenEndpoint: 'token',
        clientId: 'client',
        clientSecret: 'very secret',
        shared: true,
      } as const;
      const all = [{ region: 'eu' }, { region: 'us' }, { region: 'all' }];
      await run({ api: { baseUrl, authentication: oauth2 }, config, iterations: all }, { dispatcher });
      assert.equal(
        asked.flatMap(({ line, headers }) => (line.startsWith('GET') ? [headers.authorization] : [])),
        ['Bearer access-1', 'Bearer access-1', 'Bearer access-2', 'Bearer access-2'],
      );
    },
  ),
);

test(
  'the secrets of a shared login are masked in an iteration that did not log in',
  onNetwork(
    {
      'POST /login': json({ token: 'shared-token-1' }),
      'GET /users?region=eu': json([]),
      'GET /users?region=us': { status: 400, body: 'bad token shared-token-1' },
    },
    async ({ dispatcher }) => {
      const configuration = { api: { baseUrl, authentication }, config, iterations: iterations.slice(0, 2) };
      const error = await failure(run(configuration, { dispatcher }));
      assert.is(error.code, 'ERR_STATUS');
      assert.not.match(JSON.stringify([error.message, error.where]), /shared-token-1/);
    },
  ),
);

for (const type of ['login', 'oauth20.login'] as const) {
  test(`\`shared\` with \`expires\` 0 is rejected before any request: ${type}`, () => {
    const both = { ...authentication, type, expires: 0 };
    const authorization = { oauth_api: { credentials: { appKey: 'a', '#appSecret': 'b', '#data': '{"c":"d"}' } } };
    assert.throws(
      () => extract({ api: { baseUrl, authentication: both }, config, authorization }),
      /api\.authentication\.shared: cannot be true with `expires` 0/,
    );
  });
}

test('a store that did not log in knows the secrets as long as it uses the credentials', async () => {
  const broker = createLoginBroker();
  const [first, second] = [createSecrets(), createSecrets()];
  const made = (value: string): Credentials => ({
    ...{ headers: new Map(), query: new Map(), expiresAt: Number.POSITIVE_INFINITY },
    conceal(secrets) {
      const { add, close } = secrets.scope();
      add(value);
      return close;
    },
  });
  const clientOf = (secrets: typeof first, value: string) => {
    const login = { renewal: 'once', obtain: () => of(made(value)) } as const;
    return createCredentials({ login }, () => NEVER, { holder: () => broker.open('key'), secrets });
  };
  const [one, two] = [clientOf(first, 'token-of-one'), clientOf(second, 'token-of-two')];
  await lastValueFrom(one.use(() => of(1)));
  assert.ok(first.isSecret('token-of-one'));
  assert.not.ok(second.isSecret('token-of-one'));
  await lastValueFrom(two.use(() => of(1)));
  assert.ok(second.isSecret('token-of-one'), 'it joined the login of the first');
  assert.not.ok(second.isSecret('token-of-two'));
  assert.is(broker.size, 1);
});

test(
  'two extractions with one broker share a login, and each masks its secrets',
  onNetwork(
    {
      'POST /login': json({ token: 'shared-token-1' }),
      'GET /users?region=eu': json([]),
      'GET /users?region=us': { status: 400, body: 'bad token shared-token-1' },
    },
    async ({ dispatcher, lines }) => {
      const credentials = createCredentialBroker();
      const own = { ...authentication, shared: false };
      const of = (region: string) => ({ api: { baseUrl, authentication: own }, config: { ...config, region } });
      await run(of('eu'), { dispatcher, credentials });
      const error = await failure(run(of('us'), { dispatcher, credentials }));
      assert.not.match(JSON.stringify([error.message, error.where]), /shared-token-1/);
      assert.equal(lines(), ['POST /login', 'GET /users?region=eu', 'GET /users?region=us']);
      assert.is(credentials.size, 1);
    },
  ),
);

test(
  'iterations have a login each without `shared`, with a broker too; with `expires` 0 nothing is shared',
  onNetwork(
    {
      'POST /login': ['one!', 'two!', 'three', 'four'].map(token),
      'GET /users?region=eu': [json([]), json([])],
      'GET /users?region=us': [json([]), json([])],
    },
    async ({ dispatcher, lines }) => {
      const credentials = createCredentialBroker();
      const all = iterations.slice(0, 2);
      const own = { ...authentication, shared: false };
      await run({ api: { baseUrl, authentication: own }, config, iterations: all }, { dispatcher, credentials });
      const each = { ...own, expires: 0 } as const;
      await run({ api: { baseUrl, authentication: each }, config, iterations: all }, { dispatcher, credentials });
      assert.is(lines().filter((line) => line === 'POST /login').length, 4);
      assert.is(credentials.size, 2);
    },
  ),
);

test(
  'two extractions share one rate limiter, which replaces `rateLimit`',
  onNetwork({ 'GET /users': json([]), 'GET /orders': json([]) }, async ({ dispatcher, lines }) => {
    const inner = createRateLimiter({ rates: [{ most: 2, ms: 3_600_000 }] });
    const stop = new AbortController();
    const rateLimiter: RateLimiter = {
      around: inner.around,
      pass: (owner, signal) => inner.pass({ ...owner, onWait: () => stop.abort() }, signal),
    };
    const codes: string[] = [];
    const notify = ({ code }: Notice) => void codes.push(code);
    const api = { baseUrl, http: { rateLimit: '1/h' } };
    const both = { api, config: { jobs: [{ endpoint: 'users' }, { endpoint: 'orders' }] } };
    await run(both, { dispatcher, rateLimiter, notify, signal: stop.signal });
    assert.not.ok(stop.signal.aborted, 'two requests an hour');
    const error = await failure(run(both, { dispatcher, rateLimiter, notify, signal: stop.signal }));
    assert.is(error.code, 'ERR_ABORTED', 'a third waits, whichever extraction it is of');
    assert.equal(lines(), ['GET /users', 'GET /orders']);
    assert.equal(codes, ['rate-limiter-given', 'rate-limiter-given']);
  }),
);

test('values that are no broker, limiter or rate are rejected', () => {
  const configuration = { api: { baseUrl }, config };
  const wrong = [{ credentials: { size: 1 } }, { rateLimiter: { rates: [] } as never }];
  for (const options of wrong) assert.throws(() => extract(configuration, options), /expected the result of create/);
  assert.throws(
    () => createRateLimiter({ rates: [{ most: 0, ms: 1 }] }),
    /rates: most: expected a whole number from 1 up/,
  );
});

const anyCredentials: Credentials = { headers: new Map(), query: new Map(), expiresAt: Number.POSITIVE_INFINITY };

test('if the client that logs in has left and its login fails, a waiting one logs in itself', async () => {
  const holder = createCredentialHolder();
  const flight = new Subject<Credentials>();
  const left = holder.use(flight, of).subscribe();
  const given = lastValueFrom(holder.use(of(anyCredentials), of));
  left.unsubscribe();
  flight.error(new Error('its connections were closed'));
  assert.is(await given, anyCredentials);
});

test('a login that fails fails all that wait for it, and none of them tries again', async () => {
  const holder = createCredentialHolder();
  const flight = new Subject<Credentials>();
  let logins = 0;
  const own = throwError(() => {
    logins += 1;
    return new Error('of its own');
  });
  const outcomes = [flight, own].map((obtain) =>
    lastValueFrom(holder.use(obtain, of)).catch((thrown: Error) => thrown.message),
  );
  flight.error(new Error('wrong password'));
  assert.equal(await Promise.all(outcomes), ['wrong password', 'wrong password']);
  assert.is(logins, 0);
});

test.run();
