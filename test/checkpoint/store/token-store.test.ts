/** The store of refresh tokens: what is on the disk before, during and after an exchange, and whom it keeps waiting. */
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { firstValueFrom, from as fromPromise, NEVER, type Observable, of, Subject, throwError } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoredToken } from '../../../src/auth/refresh-tokens.js';
import { thisProcess } from '../../../src/checkpoint/store/holder.js';
import { takeLock } from '../../../src/checkpoint/store/lock.js';
import { createTokenStores } from '../../../src/checkpoint/store/token-store.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { defined } from '../../../src/core/util/defined.js';
import { filesIn, inFolder, rejection, turns } from '../../sinks/lib.js';
import { startClock } from '../../support/virtual-clock.js';

const pathIn = (dir: string) => join(dir, 'tokens.json');
const entriesIn = (dir: string) => JSON.parse(readFileSync(pathIn(dir), 'utf8')).tokens;
const exchange = <T>(dir: string, work: (token: StoredToken) => Observable<T>, key = 'k') =>
  firstValueFrom(createTokenStores().open(pathIn(dir)).exchange(key, work));

const replacing = (by: string) => (token: StoredToken) => {
  token.replace(by);
  return of(token);
};
const looking = (token: StoredToken) => of({ latest: token.latest, isInDoubt: token.isInDoubt });

test(
  'a new token is on the disk at once, for its owner only, and the next store has it',
  inFolder(async (dir) => {
    await exchange(dir, (token) => {
      assert.equal([token.latest, token.isInDoubt], [undefined, false]);
      token.replace('second');
      assert.equal(entriesIn(dir), { k: { token: 'second' } });
      return of(undefined);
    });
    assert.is(statSync(pathIn(dir)).mode & 0o777, 0o600);
    assert.equal(await exchange(dir, looking), { latest: 'second', isInDoubt: false });
    assert.equal(Object.keys(filesIn(dir)), ['tokens.json']);
  }),
);

test(
  'other keys stay as they are',
  inFolder(async (dir) => {
    await exchange(dir, replacing('a'), 'one');
    await exchange(dir, replacing('b'), 'two');
    assert.equal(entriesIn(dir), { one: { token: 'a' }, two: { token: 'b' } });
  }),
);

test(
  'the token is marked as sent before the request, and a process that was killed then leaves the mark',
  inFolder(async (dir) => {
    await exchange(dir, replacing('first'));
    const stores = createTokenStores();
    const begun = stores.open(pathIn(dir)).exchange('k', () => {
      assert.equal(entriesIn(dir), { k: { token: 'first', isSent: true } });
      writeFileSync(join(dir, 'as-killed'), readFileSync(pathIn(dir)));
      return of('no new token');
    });
    await firstValueFrom(begun);
    assert.equal(entriesIn(dir), { k: { token: 'first' } });
    writeFileSync(pathIn(dir), readFileSync(join(dir, 'as-killed')));
    assert.equal(await exchange(dir, looking), { latest: 'first', isInDoubt: true });
  }),
);

test(
  'a refusal of the server removes the mark; a lost connection leaves it, because the server may have answered',
  inFolder(async (dir) => {
    const refusal = new ExtractError('ERR_LOGIN', 'invalid_scope', { final: true });
    await rejection(
      exchange(dir, () => throwError(() => refusal)),
      'ERR_LOGIN',
    );
    assert.equal(entriesIn(dir), { k: {} });
    const lost = new ExtractError('ERR_TRANSPORT', 'reset');
    await rejection(
      exchange(dir, () => throwError(() => lost)),
      'ERR_TRANSPORT',
    );
    assert.equal(entriesIn(dir), { k: { isSent: true } });
  }),
);

test(
  'an exchange that has begun is completed after its subscriber has left, and `idle` waits for it',
  inFolder(async (dir) => {
    const stores = createTokenStores();
    const responses = new Subject<string>();
    let held: StoredToken | undefined;
    const begun = new Promise<void>((resolve) => {
      const subscription = stores
        .open(pathIn(dir))
        .exchange('k', (token) => {
          held = token;
          setImmediate(() => {
            subscription.unsubscribe();
            resolve();
          });
          return responses;
        })
        .subscribe();
    });
    await begun;
    let isIdle = false;
    const idle = stores.idle().then(() => {
      isIdle = true;
    });
    await turns();
    assert.is(isIdle, false);
    held?.replace('late');
    responses.next('');
    responses.complete();
    await idle;
    assert.equal(entriesIn(dir), { k: { token: 'late' } });
  }),
);

test(
  'of two processes the second waits for the first, and gets its token',
  inFolder(async (dir) => {
    const lock = await takeLock(`${pathIn(dir)}.lock`);
    let waits = 0;
    const wait = async () => {
      waits += 1;
      if (waits < 3) return;
      writeFileSync(pathIn(dir), '{"version":1,"tokens":{"k":{"token":"of-the-other"}}}');
      await lock.release();
    };
    const store = createTokenStores({ wait }).open(pathIn(dir));
    assert.equal(await firstValueFrom(store.exchange('k', looking)), { latest: 'of-the-other', isInDoubt: false });
    assert.is(waits, 3);
  }),
);

test(
  'it waits two minutes, and then names the process; the time of a look at another machine counts',
  inFolder(async (dir) => {
    const elsewhere = { ...(await thisProcess()), host: 'elsewhere' };
    for (const me of [undefined, elsewhere]) {
      const clock = startClock();
      const began = Date.now();
      const lock = await takeLock(`${pathIn(dir)}.lock`, defined({ me }));
      const watch = async () => {
        clock.pass(4000);
        await lock.touch();
      };
      const wait = async () => clock.pass(250);
      const store = createTokenStores({ wait, take: (path) => takeLock(path, { watch }) }).open(pathIn(dir));
      const message = new RegExp(`tokens.json" cannot be locked: .+process ${process.pid} on`);
      await rejection(firstValueFrom(store.exchange('k', looking)), 'ERR_TOKEN_STORE', message);
      const waited = Date.now() - began;
      clock.stop();
      assert.ok(waited >= 120_000 && waited <= 124_250, `${waited} ms`);
      await lock.release();
    }
  }),
);

test(
  'exchanges of one process take turns',
  inFolder(async (dir) => {
    const store = createTokenStores().open(pathIn(dir));
    let atOnce = 0;
    const alone = (token: StoredToken) => {
      atOnce += 1;
      assert.is(atOnce, 1);
      token.replace(`${token.latest ?? ''}x`);
      return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        atOnce -= 1;
      });
    };
    const all = Array.from({ length: 5 }, () =>
      firstValueFrom(store.exchange('k', (token) => fromPromise(alone(token)))),
    );
    await Promise.all(all);
    assert.equal(entriesIn(dir), { k: { token: 'xxxxx' } });
  }),
);

for (const content of [
  '',
  '[]',
  '{"version":2,"tokens":{}}',
  '{"version":1,"tokens":{"k":{"token":1}}}',
  '{"a":"secret-1"',
]) {
  test(
    `a file with ${JSON.stringify(content)} is no store: it is not changed, nor quoted, and nothing is sent`,
    inFolder(async (dir) => {
      writeFileSync(pathIn(dir), content);
      const error = await rejection(
        exchange(dir, () => {
          throw new Error('it must not be sent');
        }),
        'ERR_TOKEN_STORE',
        /tokens.json" is not a token store/,
      );
      assert.not.match(`${error.stack}`, /secret-1/);
      assert.equal(filesIn(dir), { 'tokens.json': content });
    }),
  );
}

test(
  'a folder at the path is an error before anything is sent, and so is a file as its folder',
  inFolder(async (dir) => {
    mkdirSync(pathIn(dir));
    await rejection(
      exchange(dir, () => NEVER),
      'ERR_TOKEN_STORE',
      /cannot be read: .+EISDIR/,
    );
    writeFileSync(join(dir, 'file'), '');
    const store = createTokenStores().open(join(dir, 'file', 'tokens.json'));
    await rejection(firstValueFrom(store.exchange('k', looking)), 'ERR_TOKEN_STORE', /cannot be locked/);
  }),
);

test(
  'a link that waits under the name of its draft is not followed',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'other'), 'mine');
    symlinkSync(join(dir, 'other'), `${pathIn(dir)}.new`);
    await exchange(dir, replacing('a'));
    assert.is(readFileSync(join(dir, 'other'), 'utf8'), 'mine');
  }),
);

test.run();
