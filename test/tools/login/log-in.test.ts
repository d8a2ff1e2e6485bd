/** `rxtract login` against a true authorization server: by a browser and by a device, and what stops it. */
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../../sinks/index.js';
import { fromPlain, isObject } from '../../../src/core/json/exact.js';
import { run } from '../../../src/run/extract.js';
import { logIn } from '../../../src/tools/login/log-in.js';
import { type AuthorizationServer, client, startAuthorizationServer } from '../../loopback/authorization-server.js';
import { inFolder, rejection } from '../../sinks/lib.js';
import { startFakeS3 } from '../../support/fake-s3.js';
import { assertHidden } from '../../support/mock-network.js';
import { startClock } from '../../support/virtual-clock.js';
import { unchecked } from '../../unchecked.js';

interface Scene {
  readonly dir: string;
  readonly server: AuthorizationServer;
}

const onServer = (work: (scene: Scene) => Promise<void>) =>
  inFolder(async (dir) => {
    const server = await startAuthorizationServer({ pages: 1 });
    try {
      await work({ dir, server });
    } finally {
      await server.close();
    }
  });

const configOf = ({ dir, server }: Scene, more: object = {}) => ({
  api: {
    baseUrl: `${server.origin}/api/`,
    authentication: {
      type: 'oauth2',
      grant: 'refresh_token',
      tokenEndpoint: '/token',
      authorizationEndpoint: '/auth?prompt=consent',
      deviceEndpoint: '/device/auth',
      clientId: client.id,
      clientSecret: { attr: '#secret' },
      scope: 'openid offline_access',
      tokenStore: join(dir, 'tokens.json'),
      ...more,
    },
    pagination: { method: 'pagenum', limit: 1 },
  },
  config: { '#secret': client.secret, jobs: [{ endpoint: 'users' }] },
});

type Options = Partial<Parameters<typeof logIn>[1]>;

function loggingIn(config: object, options: Options): Promise<void> {
  const document = fromPlain(config);
  if (!isObject(document)) throw new TypeError('expected an object');
  const usual = { byDevice: false, signal: new AbortController().signal, maskWith: () => {}, say: () => {} };
  return logIn(document, { ...usual, ...options });
}

const addressIn = (said: string): string => /https?:\S+/.exec(said)?.[0] ?? '';

async function hasLoggedIn(scene: Scene) {
  for (let runs = 0; runs < 2; runs++) await run(unchecked(configOf(scene)), { to: memory() });
  assert.is(statSync(join(scene.dir, 'tokens.json')).mode & 0o777, 0o600);
  assert.equal(scene.server.grants.slice(-2), ['refresh_token', 'refresh_token']);
}

test(
  'a user agrees in a browser, and the runs after that need no login',
  onServer(async (scene) => {
    let page: Promise<string> | undefined;
    const say = (said: string) => {
      page = scene.server.agree(addressIn(said));
    };
    await loggingIn(configOf(scene), { say });
    assert.match(`${await page}`, /Done\. You can close this window/);
    assert.equal(scene.server.grants, ['authorization_code']);
    await hasLoggedIn(scene);
  }),
);

test(
  'a user enters the code of a device; until then the server is asked as often as it allows',
  onServer(async (scene) => {
    const clock = startClock();
    let userCode = '';
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    const say = (said: string) => {
      userCode = /enter the code (\S+):/.exec(said)?.[1] ?? '';
    };
    try {
      const done = loggingIn(configOf(scene), { byDevice: true, say });
      done.then(over, over);
      for (let hasAgreed = false; !isOver; await setImmediate()) {
        clock.pass(10);
        if (hasAgreed || scene.server.grants.length < 2) continue;
        hasAgreed = true;
        await scene.server.agreeToDevice(userCode);
      }
      await done;
      assert.is(scene.server.grants.at(-1), deviceGrant);
      assert.equal([...new Set(scene.server.grants.slice(0, -1))], [`${deviceGrant}: authorization_pending`]);
      await hasLoggedIn(scene); // the tokens are those of this clock
    } finally {
      clock.stop();
    }
  }),
);

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const returnTo = async (said: string, query: (state: string) => string) => {
  const url = new URL(addressIn(said)).searchParams;
  return (await fetch(`${url.get('redirect_uri')}?${query(url.get('state') ?? '')}`)).status;
};

test(
  'a user who refuses ends it, and an answer with another state does not',
  onServer(async (scene) => {
    let statuses: Promise<readonly number[]> = Promise.resolve([]);
    const say = (said: string) => {
      statuses = returnTo(said, () => 'state=of-another&code=stolen').then(async (first) => [
        first,
        await returnTo(said, (state) => `state=${state}&error=access_denied&error_description=No`),
      ]);
    };
    await rejection(loggingIn(configOf(scene), { say }), 'ERR_LOGIN', /the login was refused: access_denied: No/);
    assert.equal(await statuses, [400, 200]);
    assert.equal(scene.server.grants, []);
  }),
);

test(
  'a code that the server does not know is a clear error, which does not show it',
  onServer(async (scene) => {
    const say = async (said: string) => void (await returnTo(said, (state) => `state=${state}&code=wrong-code-1`));
    const error = await rejection(loggingIn(configOf(scene), { say }), 'ERR_LOGIN', /invalid_grant/);
    assertHidden('wrong-code-1', [error.stack]);
  }),
);

test(
  'without a refresh token in the response nothing is stored, and the message says what to request',
  onServer(async (scene) => {
    const say = (said: string) => void scene.server.agree(addressIn(said));
    const config = configOf(scene, { scope: 'openid' });
    await rejection(loggingIn(config, { say }), 'ERR_LOGIN', /gave no refresh token; .+`offline_access`/);
    assert.throws(() => readFileSync(join(scene.dir, 'tokens.json')), /ENOENT/);
  }),
);

test(
  'an interrupt ends it while the user decides',
  onServer(async (scene) => {
    const abort = new AbortController();
    const say = () => abort.abort();
    await rejection(loggingIn(configOf(scene), { say, signal: abort.signal }), 'ERR_ABORTED', /was interrupted/);
  }),
);

test(
  'what the configuration lacks is named before any request',
  onServer(async (scene) => {
    const without = (...keys: readonly string[]) =>
      configOf(scene, Object.fromEntries(keys.map((key) => [key, undefined])));
    const none = JSON.parse(JSON.stringify(without('authorizationEndpoint', 'deviceEndpoint')));
    await rejection(loggingIn(none, {}), 'ERR_LOGIN', /authorizationEndpoint` or `api\.authentication\.deviceEndpoint/);
    const noDevice = JSON.parse(JSON.stringify(without('deviceEndpoint')));
    await rejection(loggingIn(noDevice, { byDevice: true }), 'ERR_LOGIN', /authentication\.deviceEndpoint` is not set/);
    const other = { ...none, api: { baseUrl: scene.server.origin } };
    await rejection(loggingIn(other, {}), 'ERR_LOGIN', /`rxtract login` needs `api\.authentication` of the type/);
    assert.equal(scene.server.grants, []);
  }),
);

test('a user agrees for a store at a server, and runs with the key need no login', async () => {
  const [server, store] = [await startAuthorizationServer({ pages: 1 }), await startFakeS3()];
  const key = randomBytes(32).toString('base64');
  const env = { AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'SECRET-VALUE', RXTRACT_KEY: key };
  const config = configOf({ dir: '', server }, { tokenStore: `s3://lake/states/orders?endpoint=${store.origin}` });
  try {
    await loggingIn(config, { env, say: (said) => void server.agree(addressIn(said)) });
    for (let runs = 0; runs < 3; runs++) await run(unchecked(config), { to: memory(), env });
    assert.equal(server.grants, ['authorization_code', 'refresh_token', 'refresh_token', 'refresh_token']);
    const error = await rejection(
      run(unchecked(config), { to: memory(), env: { ...env, RXTRACT_KEY: '' } }),
      'ERR_TOKEN_STORE',
    );
    assert.match(error.where.remedy ?? '', /openssl/);
  } finally {
    await Promise.all([server.close(), store.close()]);
  }
});

for (const [configured, message] of [
  [{ tokenStore: undefined, refreshToken: 'r' }, /^`rxtract login` needs `api\.authentication` of the type/],
  [{ authorizationEndpoint: undefined, deviceEndpoint: undefined }, /is not set$/],
] as const) {
  test(
    `what is missing for a login is named, with a remedy for it: ${Object.keys(configured)}`,
    onServer(async (scene) => {
      const error = await rejection(loggingIn(configOf(scene, configured), {}), 'ERR_LOGIN', message);
      assert.match(error.where.remedy ?? '', /^Set it in the configuration, and run `rxtract login` again/);
    }),
  );
}

test.run();
