/** Logins that workers share, with cells in memory: the rules of a share, and cells that are lost meanwhile. */
import { asyncScheduler, defer, firstValueFrom, of } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSharedLogins, type LoginCell, type LoginCells } from '../../../src/checkpoint/board/shared-logins.js';
import { loginShareRules, sharedTokenRules } from '../../http/login-share-kit.js';

interface StoredCell {
  generation: number;
  sealed?: string;
  expiresAt: number;
  holder?: string | undefined;
}

/** Cells of which `lose` takes the holder away, as time does if it shows no sign of life. */
function memoryCells() {
  const stored = new Map<string, StoredCell>();
  const cellAt = (key: string): StoredCell => {
    const cell = stored.get(key) ?? { generation: 0, expiresAt: 0 };
    stored.set(key, cell);
    return cell;
  };
  const shown = ({ generation, sealed, expiresAt }: StoredCell): LoginCell => ({
    generation,
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

test.run();
