/** Logins that workers share, with cells in memory: the rules of a share, and cells that are lost meanwhile. */
import { asyncScheduler, defer, firstValueFrom, of } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSharedLogins, type LoginCell, type LoginCells } from '../../../src/checkpoint/board/shared-logins.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import type { LoginRecord } from '../../../src/http/login-share.js';
import { loginShareRules, sharedTokenRules } from '../../http/login-share-kit.js';
import { rejection } from '../../sinks/lib.js';

interface StoredCell {
  generation: number;
  sealed?: string;
  expiresAt: number;
  holder?: string | undefined;
  refusal?: LoginCell['refusal'] | undefined;
}

/** Cells of which `lose` takes the holder away, as time does if it shows no sign of life. */
function memoryCells() {
  const stored = new Map<string, StoredCell>();
  const cellAt = (key: string): StoredCell => {
    const cell = stored.get(key) ?? { generation: 0, expiresAt: 0 };
    stored.set(key, cell);
    return cell;
  };
  const shown = ({ generation, sealed, expiresAt, refusal }: StoredCell): LoginCell => ({
    generation,
    ...(refusal === undefined ? {} : { refusal }),
    lifetime: expiresAt - asyncScheduler.now(),
    ...(sealed === undefined ? {} : { sealed }),
  });
  const mine = (key: string, holder: string) => {
    const cell = cellAt(key);
    return cell.holder === holder ? cell : undefined;
  };
  const cells: LoginCells = {
    name: 'memory',
    read: async (key) => shown(cellAt(key)),
    async take(key, holder) {
      const cell = cellAt(key);
      if (cell.holder !== undefined && cell.holder !== holder) return undefined;
      cell.holder = holder;
      return shown(cell);
    },
    async put(key, holder, sealed, lifetime) {
      const cell = mine(key, holder);
      if (cell === undefined) return undefined;
      Object.assign(cell, { sealed, generation: cell.generation + 1, expiresAt: asyncScheduler.now() + lifetime });
      return cell.generation;
    },
    async refuse(key, holder, sealed) {
      Object.assign(mine(key, holder) ?? {}, { refusal: { sealed, wait: 29_001 } });
    },
    beat: async (key, holder) => mine(key, holder) !== undefined,
    async release(key, holder) {
      const cell = mine(key, holder);
      if (cell !== undefined) cell.holder = undefined;
    },
  };
  const lose = (key: string) => {
    cellAt(key).holder = undefined;
  };
  return { cells, stored, lose };
}

const secret = new Uint8Array(32).fill(1);

for (const [name, rule] of Object.entries({ ...loginShareRules, ...sharedTokenRules })) {
  test(name, () => {
    const { cells } = memoryCells();
    return rule(() => createSharedLogins(cells, secret));
  });
}

test('a worker that has lost the cell during its login gets the login of the other one', async () => {
  const { cells, lose } = memoryCells();
  const [one, two] = [createSharedLogins(cells, secret), createSharedLogins(cells, secret)];
  const slow = defer(async () => {
    lose('key');
    await firstValueFrom(two.obtain('key', 0, of({ text: 'of two', lifetime: 1e6 })));
    return { text: 'of one', lifetime: 1e6 };
  });
  const { text, generation } = await firstValueFrom(one.obtain('key', 0, slow));
  assert.equal([text, generation], ['of two', 1]);
});

test('a new token of a worker that has lost the cell is an error, and the other one has its own', async () => {
  const { cells, lose, stored } = memoryCells();
  const { tokens } = createSharedLogins(cells, secret);
  const exchanged = firstValueFrom(
    tokens?.exchange('t', (token) =>
      defer(async () => {
        lose('token t');
        token.replace('late');
      }),
    ) ?? of(),
  );
  const error = await exchanged.catch((thrown: unknown) => thrown);
  assert.match(String(error), /another worker has taken the token meanwhile/);
  assert.is(stored.get('token t')?.generation, 1, 'the mark that it was sent');
});

test('a login that the server refuses is not sent again at once, by no worker', async () => {
  const { cells, stored } = memoryCells();
  const share = createSharedLogins(cells, secret);
  const seen = { logins: 0 };
  const failing = (error: ExtractError) =>
    defer(async (): Promise<LoginRecord> => {
      seen.logins += 1;
      await new Promise((resolve) => setImmediate(resolve));
      throw error;
    });
  const refused = new ExtractError('ERR_STATUS', 'status 401', { login: true, status: 401, remedy: 'Look.' });
  const ask = (key: string, error: ExtractError) =>
    rejection(firstValueFrom(share.obtain(key, 0, failing(error))), error.code, /status|token/);
  const errors = await Promise.all(Array.from({ length: 4 }, () => ask('key', refused)));
  errors.push(await ask('key', refused));
  assert.is(seen.logins, 1);
  const shown = errors.map(({ message }) => message).sort();
  const others = 'status 401 (another worker was refused; the next login is in 30 s)';
  assert.equal(shown, ['status 401', others, others, others, others]);
  assert.equal(errors.at(-1)?.where, { login: true, final: true, status: 401, remedy: 'Look.' });
  assert.not.match(String(stored.get('key')?.refusal?.sealed), /401/);
  for (const [key, error, logins] of [
    ['a', new ExtractError('ERR_LOGIN', 'no token'), 1],
    ['b', new ExtractError('ERR_STATUS', 'status 429', { login: true, status: 429 }), 2],
    ['c', new ExtractError('ERR_STATUS', 'status 503', { login: true, status: 503 }), 2],
    ['d', new ExtractError('ERR_STATUS', 'status 404', { status: 404 }), 2],
  ] as const) {
    seen.logins = 0;
    await ask(key, error);
    await ask(key, error);
    assert.is(seen.logins, logins, key);
  }
});

test.run();
