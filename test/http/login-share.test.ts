/** Logins that brokers share, in one process: the rules of a share, and runs of several workers. */
import { defer, lastValueFrom, map, NEVER, of, throwError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TokenStore } from '../../src/auth/refresh-tokens.js';
import type { Credentials } from '../../src/auth/types.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { ExactNumber } from '../../src/core/json/exact.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { createCredentialBroker, createLoginBroker } from '../../src/http/credential-broker.js';
import { createLoginShare, type LoginShare } from '../../src/http/login-share.js';
import { createCredentials } from '../../src/http/with-credentials.js';
import { run } from '../../src/run/extract.js';
import { failure } from '../support/failure.js';
import { configOf, json, login, onNetwork, password } from '../support/mock-network.js';
import { loginShareRules } from './login-share-kit.js';

for (const [name, rule] of Object.entries(loginShareRules)) {
  test(`in a process: ${name}`, () => {
    const share = createLoginShare();
    return rule(() => share);
  });
}

const jobs = [{ endpoint: 'users' }];
const token = (name: string) => json({ token: name });
const refused = { status: 401, body: 'who are you?' };

test(
  'a worker uses the login of another one, masks it, and renews it for both',
  onNetwork(
    {
      'POST /login': [token('first-token'), token('second-token')],
      'GET /users': [json([]), refused, json([]), json([]), { status: 400, body: 'bad token second-token' }],
    },
    async ({ dispatcher, asked }) => {
      const share = createLoginShare();
      const [one, two] = [createCredentialBroker({ share }), createCredentialBroker({ share })];
      const config = configOf(jobs, login(), password);
      await run(config, { dispatcher, credentials: one });
      await run(config, { dispatcher, credentials: two });
      await run(config, { dispatcher, credentials: two });
      const error = await failure(run(config, { dispatcher, credentials: createCredentialBroker({ share }) }));
      assert.not.match(JSON.stringify([error.message, error.where]), /second-token/);
      assert.equal(
        asked.map(({ line, headers }) => `${line} ${headers['x-token'] ?? '-'}`),
        [
          'POST /login -',
          'GET /users first-token',
          'GET /users first-token',
          'POST /login -',
          ...new Array(3).fill('GET /users second-token'),
        ],
      );
    },
  ),
);

test('credentials are the same in another worker: headers, query, exact numbers and secrets', async () => {
  const share = createLoginShare();
  const made: Credentials = {
    headers: new Map([['X-Token', ['token-of-one', 'b']]]),
    query: new Map([['account', new ExactNumber('12345678901234567890')]]),
    expiresAt: Number.POSITIVE_INFINITY,
    conceal(secrets) {
      const { add, close } = secrets.scope();
      add('token-of-one');
      return close;
    },
  };
  const secrets = createSecrets();
  const used = (obtain: Credentials) => {
    const broker = createLoginBroker(share);
    const way = { renewal: 'once', obtain: () => of(obtain) } as const;
    const client = createCredentials({ login: way }, () => NEVER, { holder: () => broker.open('key'), secrets });
    return lastValueFrom(client.use((credentials) => of(credentials)));
  };
  assert.is(await used(made), made, 'the worker that logged in has its own');
  const { headers, query, isOfOther } = await used({ ...made, headers: new Map() });
  assert.equal({ headers, query, isOfOther }, { headers: made.headers, query: made.query, isOfOther: true });
  assert.ok(secrets.isSecret('token-of-one'));
});

test('only its own logins are counted where two in a row are final', async () => {
  const others = ['a', 'b', 'c'];
  let logins = 0;
  let generation = 0;
  const share: LoginShare = {
    obtain(_key, _refused, own) {
      generation += 1;
      const text = others.shift();
      if (text === undefined) return own.pipe(map((record) => ({ ...record, generation })));
      return of({
        text: JSON.stringify({ headers: [['X-Token', [text]]], query: '{}', secrets: [] }),
        lifetime: 1e9,
        generation,
      });
    },
  };
  const obtain = defer(() =>
    of<Credentials>({ headers: new Map(), query: new Map(), expiresAt: Number.POSITIVE_INFINITY }),
  );
  const broker = createLoginBroker(share);
  const uses: string[] = [];
  const used = broker.open('key').use(obtain, ({ headers, isOfOther }) => {
    uses.push(headers.get('X-Token')?.[0] ?? 'own');
    if (isOfOther !== true) logins += 1;
    return throwError(() => new ExtractError('ERR_STATUS', 'status 401', { status: 401, refused: true }));
  });
  const error = await failure(lastValueFrom(used));
  assert.is(error.where.status, 401);
  assert.equal([uses, logins], [['a', 'b', 'c', 'own', 'own'], 2]);
});

test(
  'refresh tokens that replace others are kept in the share',
  onNetwork(
    {
      'POST /token': ['first', 'second'].map((name) =>
        json({ access_token: `${name}-access`, refresh_token: `${name}-refresh`, expires_in: 0 }),
      ),
      'GET /users': [json([]), json([])],
    },
    async ({ dispatcher, asked }) => {
      const kept = new Map<string, string>();
      const tokens: TokenStore = {
        name: 'the shared logins',
        exchange(key, work) {
          const latest = kept.get(key);
          const replace = (by: string) => void kept.set(key, by);
          return work({ isInDoubt: false, replace, ...(latest === undefined ? {} : { latest }) });
        },
      };
      const authentication = {
        ...{ type: 'oauth2', grant: 'refresh_token', tokenEndpoint: 'token', clientId: 'client-1' },
        ...{ clientSecret: { attr: '#password' }, refreshToken: 'configured-refresh' },
      };
      for (const _worker of [1, 2]) {
        const credentials = createCredentialBroker({ share: { ...createLoginShare(), tokens } });
        await run(configOf(jobs, { authentication }, password), { dispatcher, credentials });
      }
      const sent = asked
        .filter(({ line }) => line === 'POST /token')
        .map(({ body }) => /refresh_token=([\w-]+)/.exec(body ?? '')?.[1]);
      assert.equal(sent, ['configured-refresh', 'first-refresh']);
      assert.equal([...kept.values()], ['second-refresh']);
    },
  ),
);

test('a share that is none is rejected', () => {
  assert.throws(
    () => createCredentialBroker({ share: {} as never }),
    /share: expected an object with the method `obtain`/,
  );
});

test.run();
