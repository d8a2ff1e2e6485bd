/** Refresh tokens at the server of a state: encrypted, one process at a time, and stored before a response is used. */
import { randomBytes } from 'node:crypto';
import { firstValueFrom, of, throwError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoredToken } from '../../../src/auth/refresh-tokens.js';
import { thisProcess } from '../../../src/checkpoint/store/holder.js';
import { serverStore } from '../../../src/checkpoint/store/server-store.js';
import { stateServerAt } from '../../../src/checkpoint/store/state-address.js';
import { createTokenStores, type TokenStoreOptions } from '../../../src/checkpoint/store/token-store.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { rejection, turns } from '../../sinks/lib.js';
import { type FakeS3, startFakeS3 } from '../../support/fake-s3.js';
import { startClock } from '../../support/virtual-clock.js';

interface Place {
  readonly store: FakeS3;
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
  readonly hidden: string[];
  open(more?: TokenStoreOptions): ReturnType<ReturnType<typeof createTokenStores>['open']>;
}

const withStore = (use: (place: Place) => Promise<void>) => async () => {
  const store = await startFakeS3();
  const address = `s3://lake/states/orders?endpoint=${store.origin}`;
  const key = randomBytes(32).toString('base64');
  const env = { AWS_ACCESS_KEY_ID: 'KEY', AWS_SECRET_ACCESS_KEY: 'SECRET-VALUE', RXTRACT_KEY: key };
  const hidden: string[] = [];
  const hide = (secret: string) => void hidden.push(secret);
  try {
    await use({ store, address, env, hidden, open: (more) => createTokenStores({ env, hide, ...more }).open(address) });
  } finally {
    await store.close();
  }
};

const replacing = (by: string) => (token: StoredToken) => {
  token.replace(by);
  return of(token.latest);
};
const looking = (token: StoredToken) => of({ latest: token.latest, isInDoubt: token.isInDoubt });

test(
  'a new token is at the server when the exchange has ended, and cannot be read there without the key',
  withStore(async ({ store, env, hidden, open }) => {
    await firstValueFrom(open().exchange('k', replacing('token-of-first')));
    await firstValueFrom(open().exchange('k', replacing('token-of-second')));
    await firstValueFrom(open().exchange('other', replacing('token-of-other')));
    assert.equal(await firstValueFrom(open().exchange('k', looking)), { latest: 'token-of-second', isInDoubt: false });
    for (const { bytes } of store.objects.values()) assert.not.match(bytes.toString(), /token-of|refresh/);
    assert.equal(hidden.includes(env.RXTRACT_KEY ?? ''), true);
    assert.equal([...store.objects.keys()].sort(), [
      'lake/states/orders/tokens/check',
      'lake/states/orders/tokens/state',
    ]);
    assert.match(open().name, /^s3:\/\/lake\/states\/orders\?/);
  }),
);

test(
  'an exchange whose process is killed leaves its mark; a refusal does not',
  withStore(async ({ store, open }) => {
    const lost = new ExtractError('ERR_TRANSPORT', 'reset');
    await rejection(firstValueFrom(open().exchange('k', () => throwError(() => lost))), 'ERR_TRANSPORT');
    assert.equal(await firstValueFrom(open().exchange('k', looking)), { latest: undefined, isInDoubt: true });
    await firstValueFrom(open().exchange('k', replacing('a')));
    const refusal = new ExtractError('ERR_LOGIN', 'invalid_scope', { final: true });
    await rejection(firstValueFrom(open().exchange('k', () => throwError(() => refusal))), 'ERR_LOGIN');
    assert.equal(await firstValueFrom(open().exchange('k', looking)), { latest: 'a', isInDoubt: false });
    assert.ok(store.calls.length > 0);
  }),
);

test(
  'a new token that the server does not take fails the exchange, although the response is there',
  withStore(async ({ store, open }) => {
    const work = (token: StoredToken) => {
      store.fault = ({ method }) => (method === 'PUT' ? { status: 403 } : undefined);
      return replacing('new')(token);
    };
    await rejection(
      firstValueFrom(open().exchange('k', work)),
      'ERR_TOKEN_STORE',
      /cannot be written: cannot keep the state/,
    );
  }),
);

test(
  'without the key, or with another one, nothing is sent',
  withStore(async ({ env, open }) => {
    await firstValueFrom(open().exchange('k', replacing('a')));
    const mustNotSend = () => throwError(() => new Error('it must not be sent'));
    const { RXTRACT_KEY: _, ...without } = env;
    const failing = (more: Readonly<Record<string, string>>) =>
      firstValueFrom(open({ env: { ...without, ...more } }).exchange('k', mustNotSend));
    const missing = await rejection(failing({}), 'ERR_TOKEN_STORE', /needs the variable RXTRACT_KEY/);
    assert.match(missing.where.remedy ?? '', /openssl/);
    await rejection(failing({ RXTRACT_KEY: 'x' }), 'ERR_TOKEN_STORE', /is not a key: expected 32 bytes in base64/);
    const other = randomBytes(32).toString('base64');
    await rejection(
      failing({ RXTRACT_KEY: other }),
      'ERR_TOKEN_STORE',
      /cannot be decrypted: RXTRACT_KEY is another key/,
    );
    assert.equal(await firstValueFrom(open().exchange('k', looking)), { latest: 'a', isInDoubt: false });
  }),
);

test(
  'of two processes the second waits for the first, and in the end names it',
  withStore(async ({ address, env, open }) => {
    await firstValueFrom(open().exchange('k', replacing('a')));
    const held = await serverStore(stateServerAt(address, { env }, 'tokens')).open();
    let waits = 0;
    const wait = async () => {
      waits += 1;
      if (waits === 3) await held.close();
    };
    assert.equal(await firstValueFrom(open({ wait }).exchange('k', looking)), { latest: 'a', isInDoubt: false });
    assert.is(waits, 3);
  }),
);

test(
  'it waits two minutes for a process elsewhere, and then names it; the time of a look at it counts',
  withStore(async ({ address, env, open }) => {
    const me = { ...(await thisProcess()), host: 'elsewhere', boot: '' };
    const connect = stateServerAt(address, { env }, 'tokens');
    let beat = () => {};
    const regularly = (work: () => void) => {
      beat = work;
      return () => {};
    };
    const held = await serverStore(connect, { me, regularly }).open();
    const clock = startClock();
    const began = Date.now();
    const watch = async () => {
      clock.pass(3000);
      beat();
      beat();
      await turns();
    };
    const store = open({ wait: async () => clock.pass(250), server: { watch, regularly: () => () => {} } });
    try {
      const message = /cannot be locked: another run is using it: process \d+ on elsewhere/;
      await rejection(firstValueFrom(store.exchange('k', looking)), 'ERR_TOKEN_STORE', message);
      const waited = Date.now() - began;
      assert.ok(waited >= 120_000 && waited <= 123_250, `${waited} ms`);
    } finally {
      clock.stop();
      await held.close();
    }
  }),
);

test('a wrong address is an error of the configuration, without its password', async () => {
  const stores = createTokenStores({ env: {} });
  const open = () => stores.open('redis://:open-sesame@host/0');
  const error = await rejection(open, 'ERR_CONFIG', /^api\.authentication\.tokenStore: a state is a folder/);
  assert.not.match(error.message, 'open-sesame');
  assert.is(error.problems[0]?.path, 'api.authentication.tokenStore');
});

test.run();
