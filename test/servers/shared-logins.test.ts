/** One login for all workers of a PostgreSQL: the rules of shares, workers that die or are suspended, and runs. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { defer, firstValueFrom, of, throwError } from 'rxjs';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/index.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { createCredentialBroker } from '../../src/http/credential-broker.js';
import { run as extractAll } from '../../src/run/extract.js';
import { loginShareRules, sharedTokenRules, type Workers } from '../http/login-share-kit.js';
import { headerOf, json, startApi } from '../loopback/api.js';
import { rejection } from '../sinks/lib.js';
import { configOf, login, password } from '../support/mock-network.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { type Lent, withPostgres } from './postgres-lib.js';
import { sharingAt, type TestSharing } from './shared-lib.js';

const test = testWhere(postgresMissing);

/** Runs work with workers, each with its own connections. */
async function withWorkers(
  { server }: Pick<Lent, 'server'>,
  schema: string,
  work: (worker: () => TestSharing) => Promise<void>,
): Promise<void> {
  const all: TestSharing[] = [];
  const worker = () => {
    const sharing = sharingAt(server.port, schema);
    all.push(sharing);
    return sharing;
  };
  try {
    await worker().prepare();
    await work(worker);
  } finally {
    for (const sharing of all) sharing.end();
  }
}

for (const [what, rules] of [
  ['logins', loginShareRules],
  ['refresh tokens', sharedTokenRules],
] as const) {
  test(`the ${what} of workers keep every rule`, () =>
    withPostgres((lent) =>
      withWorkers(lent, 'rules', async (worker) => {
        const workers: Workers = () => worker().logins;
        for (const [name, rule] of Object.entries(rules)) {
          await rule(workers).catch((thrown: unknown) => {
            throw new Error(name, { cause: thrown });
          });
        }
      }),
    ));
}

const workerFile = fileURLToPath(new URL('./login-worker.ts', import.meta.url));

const startWorker = (port: number, name: string, skew = 0): ChildProcess =>
  fork(workerFile, [String(port), 'chaos', name, String(skew)], { execArgv: ['--import', 'tsx'] });

const message = async (child: ChildProcess): Promise<unknown> => (await once(child, 'message'))[0];

/** As if the time of a holder without a sign of life had passed. */
const passLease = ({ sql }: Lent) => sql(`UPDATE chaos.logins SET until = clock_timestamp() - interval '1 ms'`);

const recordOf = (text: string) => of({ text, lifetime: 3_600_000 });

test('if a worker dies while it logs in, another one logs in', () =>
  withPostgres((lent) =>
    withWorkers(lent, 'chaos', async (worker) => {
      const child = startWorker(lent.server.port, 'child');
      assert.is(await message(child), 'begun');
      child.kill('SIGKILL');
      await once(child, 'exit');
      await passLease(lent);
      const { text, generation } = await firstValueFrom(worker().logins.obtain('account', 0, recordOf('mine')));
      assert.equal([text, generation], ['mine', 1]);
    }),
  ));

test('what a suspended worker has got from its login is refused, and it gets the login of the other one', () =>
  withPostgres((lent) =>
    withWorkers(lent, 'chaos', async (worker) => {
      const child = startWorker(lent.server.port, 'child', 3_600_000);
      assert.is(await message(child), 'begun');
      child.kill('SIGSTOP');
      child.send('log in');
      await passLease(lent);
      const { logins } = worker();
      await firstValueFrom(logins.obtain('account', 0, recordOf('mine')));
      const waking = message(child);
      child.kill('SIGCONT');
      const got = Object(await waking);
      assert.equal([got.text, got.generation], ['mine', 1]);
      assert.ok(got.lifetime > 3_500_000 && got.lifetime <= 3_600_000, 'its clock is wrong by an hour');
      await once(child, 'exit');
      const kept = await firstValueFrom(
        logins.obtain(
          'account',
          0,
          throwError(() => new Error('no login')),
        ),
      );
      assert.is(kept.text, 'mine');
    }),
  ));

test('nothing is stored in the clear, and another key is an error with its remedy', () =>
  withPostgres((lent) =>
    withWorkers(lent, 'chaos', async (worker) => {
      await firstValueFrom(worker().logins.obtain('account', 0, recordOf('open-sesame')));
      const rows = JSON.stringify(await lent.sql('SELECT * FROM chaos.logins'));
      assert.not.match(rows, /open-sesame/);
      const other = sharingAt(lent.server.port, 'chaos', new Uint8Array(32).fill(8));
      const obtained = firstValueFrom(other.logins.obtain('account', 0, recordOf('mine')));
      const error = await rejection(obtained, 'ERR_LOGIN', /cannot be decrypted: RXTRACT_KEY is another key/);
      assert.match(error.where.remedy ?? '', /the same key for all workers/);
      await lent.sql(`UPDATE chaos.logins SET key = 'moved'`);
      const moved = firstValueFrom(worker().logins.obtain('moved', 0, recordOf('mine')));
      await rejection(moved, 'ERR_LOGIN', /or they were changed/);
      other.end();
    }),
  ));

test('the wait after a refused login is longer with each one in a row, and a login ends it', () =>
  withPostgres((lent) =>
    withWorkers(lent, 'refused', async (worker) => {
      const refused = throwError(() => new ExtractError('ERR_STATUS', 'status 401', { login: true, status: 401 }));
      const waits: number[] = [];
      for (let round = 0; round < 7; round += 1) {
        await rejection(firstValueFrom(worker().logins.obtain('account', 0, refused)), 'ERR_STATUS', /^status 401$/);
        await rejection(
          firstValueFrom(worker().logins.obtain('account', 0, recordOf('mine'))),
          'ERR_STATUS',
          /refused/,
        );
        const wait = 'ceil(extract(epoch FROM refused_until - clock_timestamp()) / 30) * 30';
        const [row] = await lent.sql(`SELECT ${wait}::int AS wait FROM refused.logins`);
        waits.push(Number(row?.wait));
        await lent.sql('UPDATE refused.logins SET refused_until = clock_timestamp()');
      }
      assert.equal(waits, [30, 60, 120, 240, 480, 600, 600]);
      assert.is((await firstValueFrom(worker().logins.obtain('account', 0, recordOf('mine')))).text, 'mine');
      assert.equal(await lent.sql('SELECT refusal, refusals, refused_until FROM refused.logins'), [
        { refusal: null, refusals: 0, refused_until: null },
      ]);
    }),
  ));

test('runs of several workers log in once, renew once, and keep one rate', () =>
  withPostgres((lent) =>
    withWorkers(lent, 'runs', async (worker) => {
      const seen = { logins: 0, refused: 0, pages: 0 };
      const api = await startApi((request) => {
        const { target } = request;
        if (target === '/login') {
          seen.logins += 1;
          return json({ token: `token-${seen.logins}` });
        }
        if (headerOf(request, 'x-token') !== `token-${seen.pages < 6 ? 1 : 2}`) {
          seen.refused += 1;
          return { status: 401 };
        }
        seen.pages += 1;
        return json([{ id: seen.pages }]);
      });
      try {
        const jobs = ['a', 'b', 'c', 'd', 'e'].map((endpoint) => ({ endpoint }));
        const http = { rateLimit: '30/s' };
        const config = configOf(jobs, { baseUrl: `${api.origin}/`, http, ...login() }, password);
        const workers = [1, 2, 3].map(async () => {
          const { logins, limiter } = worker();
          const to = memory();
          const credentials = createCredentialBroker({ share: logins });
          await extractAll(config, { to, credentials, rateLimiter: limiter });
          return to.items().length;
        });
        assert.equal(await Promise.all(workers), [5, 5, 5]);
        assert.equal([seen.logins, seen.pages], [2, 15]);
        const [counted] = await lent.sql('SELECT key, total::int FROM runs.rates');
        assert.is(counted?.key, api.origin);
        const sent = seen.logins + seen.refused + seen.pages;
        assert.ok(Number(counted?.total) >= sent, 'all are counted; slots that were late are counted too');
      } finally {
        await api.close();
      }
    }),
  ));

test('refresh tokens that replace one another are used once, by one worker or another', () =>
  withPostgres((lent) =>
    withWorkers(lent, 'tokens', async (worker) => {
      const sent: string[] = [];
      const api = await startApi(({ target, body }) => {
        if (!target.startsWith('/token')) return json([]);
        sent.push(/refresh_token=([\w-]+)/.exec(String(body))?.[1] ?? '');
        return json({ access_token: `access-${sent.length}`, refresh_token: `refresh-${sent.length}`, expires_in: 0 });
      });
      try {
        const authentication = {
          ...{ type: 'oauth2', grant: 'refresh_token', tokenEndpoint: 'token', clientId: 'client-1' },
          ...{ clientSecret: { attr: '#password' }, refreshToken: 'refresh-0' },
        };
        const config = configOf([{ endpoint: 'a' }], { baseUrl: `${api.origin}/`, authentication }, password);
        const workers = Array.from({ length: 4 }, () =>
          extractAll(config, { credentials: createCredentialBroker({ share: worker().logins }) }),
        );
        await Promise.all(workers);
        assert.equal(sent, ['refresh-0', 'refresh-1', 'refresh-2', 'refresh-3']);
      } finally {
        await api.close();
      }
    }),
  ));

test('a login whose worker lives is not taken over, however long it takes', () =>
  withPostgres((lent) =>
    withWorkers(lent, 'chaos', async (worker) => {
      const child = startWorker(lent.server.port, 'child');
      assert.is(await message(child), 'begun');
      const waiting = firstValueFrom(
        worker().logins.obtain(
          'account',
          0,
          defer(() => recordOf('mine')),
        ),
      );
      const got = message(child);
      child.send('log in');
      assert.equal([Object(await got).text, (await waiting).text], ['of child', 'of child']);
    }),
  ));

run.run();
