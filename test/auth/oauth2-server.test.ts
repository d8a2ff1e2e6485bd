/**
 * Type `oauth2` in complete runs against a real authorization server, which revokes everything if a refresh token is
 * used twice.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { run } from '../../src/run/extract.js';
import {
  type AuthorizationServer,
  client,
  lifetime,
  startAuthorizationServer,
} from '../loopback/authorization-server.js';
import { inFolder, rejection } from '../sinks/lib.js';
import { assertHidden, listener } from '../support/mock-network.js';
import { startClock, type VirtualClock } from '../support/virtual-clock.js';
import { unchecked } from '../unchecked.js';

interface Scene {
  readonly clock: VirtualClock;
  readonly server: AuthorizationServer;
}

type Options = Parameters<typeof startAuthorizationServer>[0];

/** On a virtual clock, also for the server. */
const onServer = (options: (clock: VirtualClock) => Options, work: (scene: Scene) => Promise<void>) => async () => {
  const clock = startClock();
  const server = await startAuthorizationServer(options(clock));
  try {
    await work({ clock, server });
  } finally {
    await server.close();
    clock.stop();
  }
};

const configOf = ({ origin }: AuthorizationServer, authentication: object, jobs: readonly string[] = ['users']) =>
  unchecked({
    api: {
      baseUrl: `${origin}/api/`,
      authentication: {
        type: 'oauth2',
        tokenEndpoint: '/token',
        clientId: client.id,
        clientSecret: { attr: '#secret' },
        ...authentication,
      },
      pagination: { method: 'pagenum', limit: 1 },
    },
    config: { '#secret': client.secret, jobs: jobs.map((endpoint) => ({ endpoint })) },
  });

const clientCredentials = { grant: 'client_credentials', scope: 'orders' };
const refreshing = (refreshToken: string) => ({ grant: 'refresh_token', refreshToken });
const ids = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
const times = (count: number, text: string) => Array.from({ length: count }, () => text);

/** So much passes with each page that its token has expired when the next one is asked for. */
const expiring = (pages: number) => (clock: VirtualClock) => ({ pages, onPage: () => clock.pass(lifetime * 1000) });

for (const [shown, clientAuthentication] of [
  ['client_secret_basic', 'basic'],
  ['client_secret_post', 'body'],
] as const) {
  test(
    `a client that shows itself by ${clientAuthentication} gets one token for all pages`,
    onServer(
      () => ({ shown, pages: 3 }),
      async ({ server }) => {
        const to = memory();
        await run(configOf(server, { ...clientCredentials, clientAuthentication }), { to, strict: true });
        assert.equal(to.items(), ids(3));
        assert.equal(server.grants, ['client_credentials']);
      },
    ),
  );
}

test(
  'a token for client credentials is renewed at each expiry, and none is rejected',
  onServer(expiring(4), async ({ server }) => {
    const to = memory();
    await run(configOf(server, clientCredentials), { to });
    assert.equal(to.items(), ids(4));
    assert.equal(server.grants, times(5, 'client_credentials'));
    assert.equal(server.statuses, times(5, '200').map(Number));
  }),
);

test(
  'renewals send the latest refresh token: the server never sees one twice',
  onServer(expiring(6), async ({ server }) => {
    const to = memory();
    const { notices, notify } = listener();
    await run(configOf(server, refreshing(await server.consent())), { to, notify });
    assert.equal(to.items(), ids(6));
    assert.equal(server.grants, times(7, 'refresh_token'));
    assert.equal(
      notices.map(({ code }) => code),
      ['refresh-token-replaced'],
    );
  }),
);

test(
  'also if jobs run concurrently and tokens expire meanwhile',
  onServer(expiring(4), async ({ server }) => {
    const to = memory();
    const jobs = ['users', 'orders', 'visits'];
    await run(configOf(server, refreshing(await server.consent()), jobs), { to, concurrency: 3 });
    assert.is(to.items().length, 12);
    assert.ok(server.grants.length > 1);
    assert.equal(server.grants, times(server.grants.length, 'refresh_token'));
  }),
);

test(
  'an iteration continues with the refresh token of the one before it',
  onServer(
    () => ({ pages: 1 }),
    async ({ server }) => {
      const to = memory();
      const config = configOf(server, refreshing(await server.consent()));
      await run(unchecked({ ...config, iterations: [{ a: 1 }, { a: 2 }] }), { to });
      assert.is(to.items().length, 2);
      assert.equal(server.grants, ['refresh_token', 'refresh_token']);
    },
  ),
);

test(
  'a refresh token used by an earlier run is a clear error, and is sent only once',
  onServer(
    () => ({ pages: 1 }),
    async ({ server }) => {
      const refreshToken = await server.consent();
      const config = configOf(server, refreshing(refreshToken));
      await run(config);
      const message = /\(status 400\): invalid_grant \(.+\); the refresh token may have expired/;
      const error = await rejection(run(config), 'ERR_LOGIN', message);
      assert.equal(server.grants, ['refresh_token', 'refresh_token: invalid_grant']);
      assertHidden(refreshToken, [error.stack]);
    },
  ),
);

test(
  'with a token store each run continues with the token of the one before it',
  inFolder(async (dir) => {
    const work = onServer(expiring(2), async ({ server }) => {
      const tokenStore = join(dir, 'new', 'tokens.json');
      const config = configOf(server, { ...refreshing(await server.consent()), tokenStore });
      const { notices, notify } = listener();
      for (let runs = 0; runs < 3; runs++) await run(config, { notify });
      assert.equal(server.grants, times(9, 'refresh_token'));
      assert.equal(notices, []);
    });
    await work();
  }),
);

test(
  'runs that use one store at the same time take turns: the server sees no token twice',
  inFolder(async (dir) => {
    const work = onServer(expiring(3), async ({ server }) => {
      const config = configOf(server, { ...refreshing(await server.consent()), tokenStore: join(dir, 'tokens.json') });
      await Promise.all([run(config), run(config), run(config)]);
      assert.ok(server.grants.length >= 3);
      assert.equal(server.grants, times(server.grants.length, 'refresh_token'));
    });
    await work();
  }),
);

test(
  'a configured token that is another one than before counts, not that of the store',
  inFolder(async (dir) => {
    const work = onServer(
      () => ({ pages: 1 }),
      async ({ server }) => {
        const tokenStore = join(dir, 'tokens.json');
        const [first, second] = [await server.consent(), await server.consent()];
        for (const token of [first, second, first]) await run(configOf(server, { ...refreshing(token), tokenStore }));
        assert.equal(server.grants, times(3, 'refresh_token'));
      },
    );
    await work();
  }),
);

test(
  'a store without a token, and no configured one, is a clear error, before any request',
  inFolder(async (dir) => {
    const work = onServer(
      () => ({ pages: 1 }),
      async ({ server }) => {
        const config = configOf(server, { grant: 'refresh_token', tokenStore: join(dir, 'tokens.json') });
        await rejection(run(config), 'ERR_LOGIN', /has no refresh token for this client.+run `rxtract login`/);
        assert.equal(server.grants, []);
      },
    );
    await work();
  }),
);

test(
  'after a crash between request and response a rejected token is explained',
  inFolder(async (dir) => {
    const work = onServer(
      () => ({ pages: 1 }),
      async ({ server }) => {
        const tokenStore = join(dir, 'tokens.json');
        const config = configOf(server, { ...refreshing(await server.consent()), tokenStore });
        await run(config);
        const used = readFileSync(tokenStore);
        await run(config);
        writeFileSync(tokenStore, `${used}`.replace('"token"', '"isSent": true, "token"'));
        const error = await rejection(run(config), 'ERR_LOGIN', /invalid_grant.+an earlier process ended between/);
        assertHidden(JSON.parse(`${used}`).tokens[Object.keys(JSON.parse(`${used}`).tokens)[0] ?? ''].token, [
          error.stack,
        ]);
      },
    );
    await work();
  }),
);

test(
  'a wrong secret is a clear error, and shows neither the secret nor the header',
  onServer(
    () => ({ pages: 1 }),
    async ({ server }) => {
      const config = configOf(server, { ...clientCredentials, clientSecret: 'wrong-secret' });
      const { notices, notify } = listener();
      const error = await rejection(
        run(config, { notify }),
        'ERR_LOGIN',
        /\(status 401\): invalid_client \(.+\); check/,
      );
      assert.equal(server.grants, ['client_credentials: invalid_client']);
      assert.equal(server.statuses, []);
      const header = Buffer.from('orders%3Areader:wrong-secret').toString('base64');
      for (const secret of ['wrong-secret', header]) assertHidden(secret, [error.stack, JSON.stringify(notices)]);
    },
  ),
);

for (const grant of ['client_credentials', 'refresh_token'] as const) {
  test(
    `with ${grant}, a token revoked before its expiry is rejected once, and the page is requested with another`,
    onServer(
      () => ({
        pages: 3,
        async onPage(page, token) {
          if (page === 2) await token.destroy();
        },
      }),
      async ({ server }) => {
        const to = memory();
        const authentication = grant === 'refresh_token' ? refreshing(await server.consent()) : clientCredentials;
        await run(configOf(server, authentication), { to });
        assert.equal(to.items(), ids(3));
        assert.equal(server.grants, [grant, grant]);
        assert.equal(server.statuses, [200, 200, 401, 200, 200]);
      },
    ),
  );
}

test.run();
