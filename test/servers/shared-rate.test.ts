/** One rate for all workers of a PostgreSQL: the rules of limiters, and workers that are suspended or killed. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import type { Rate } from '../../operators/limited.js';
import type { RateLimiter } from '../../src/http/rate-limiter.js';
import { mostWithin, rateLimiterRules, sendMany } from '../http/rate-limiter-kit.js';
import { startLateProxy } from '../support/late-proxy.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { withPostgres } from './postgres-lib.js';
import { sharingAt, type TestSharing } from './shared-lib.js';

const test = testWhere(postgresMissing);

/** Runs work with limiters, each of a worker with its own connections. */
async function withWorkers(
  port: number,
  schema: string,
  work: (worker: (options: Parameters<TestSharing['limiter']>[0]) => RateLimiter) => Promise<void>,
): Promise<void> {
  const all: TestSharing[] = [];
  const first = sharingAt(port, schema);
  try {
    await first.prepare();
    await work((options) => {
      const sharing = sharingAt(port, schema);
      all.push(sharing);
      return sharing.limiter(options);
    });
  } finally {
    for (const sharing of [first, ...all]) sharing.end();
  }
}

const key = 'https://api.example.com';

test('the limiters of workers keep every rule', () =>
  withPostgres(async ({ server }) => {
    for (const [number, [name, rule]] of Object.entries(rateLimiterRules).entries()) {
      await withWorkers(server.port, `rules${number}`, (worker) =>
        rule((options) => worker({ ...options, key })).catch((thrown: unknown) => {
          throw new Error(name, { cause: thrown });
        }),
      );
    }
  }));

test('workers may prepare at the same time, and each API has a count of its own', () =>
  withPostgres(async ({ server, sql }) => {
    for (let round = 0; round < 10; round += 1) {
      const together = Array.from({ length: 6 }, () => sharingAt(server.port, `anew${round}`));
      await Promise.all(together.map((each) => each.prepare()));
      for (const each of together) each.end();
    }
    const both = [1, 2, 3, 4].map(() => sharingAt(server.port, 'anew0'));
    await Promise.all(both.map((each) => each.prepare()));
    const rates = [{ most: 1000, ms: 86_400_000 }];
    const sent = both.map(({ limiter }, number) => sendMany(limiter({ key: `https://${number}`, rates }), 5, 5));
    assert.equal(
      (await Promise.all(sent)).map(({ length }) => length),
      [5, 5, 5, 5],
    );
    assert.equal(await sql('SELECT count(*)::int AS keys FROM anew0.rates'), [{ keys: 4 }]);
    for (const each of both) each.end();
  }));

test('a server that ends and starts again lets requests through, and keeps its counts', () =>
  withPostgres(async ({ server }) => {
    await withWorkers(server.port, 'restart', async (worker) => {
      const rates = [{ most: 40, ms: 3000 }];
      const limiter = worker({ key, rates });
      const first = await sendMany(limiter, 20, 4);
      const rest = sendMany(limiter, 60, 4);
      await server.kill();
      await server.start();
      const times = [...first, ...(await rest)];
      assert.ok(mostWithin(times, 3000) <= 40, `${mostWithin(times, 3000)}`);
    });
  }));

/** How many slots of a long rate are free. The first one that has to wait leaves. */
async function freeSlots(limiter: RateLimiter): Promise<number> {
  const leaving = new AbortController();
  for (let count = 0; ; count += 1) {
    const slot = await Promise.resolve(limiter.pass({ onWait: () => leaving.abort() }, leaving.signal)).catch(() => {});
    if (slot === undefined) return count;
    slot.begin();
  }
}

test('slots that a worker has not used are free again when it has ended, and are not given back twice', () =>
  withPostgres(async ({ server, sql }) => {
    const rates = [
      { most: 20, ms: 86_400_000 },
      { most: 1000, ms: 5000 },
    ];
    const proxy = await startLateProxy(server.port);
    const other = sharingAt(server.port, 'unused');
    await other.prepare();
    const countOf = async () => {
      const [row] = await sql(
        `SELECT (SELECT sum((entry->>1)::int)::int FROM jsonb_array_elements(logs->'86400100') entry) AS count FROM unused.rates`,
      );
      return Number(row?.count);
    };
    for (const isLost of [false, true]) {
      await sql('DELETE FROM unused.rates');
      const worker = sharingAt(proxy.port, 'unused');
      const limiter = worker.limiter({ key, rates });
      const slots = await Promise.all(Array.from({ length: 10 }, () => limiter.pass({}, new AbortController().signal)));
      const before = await countOf();
      for (const slot of slots.slice(0, 4)) slot.begin();
      if (isLost) proxy.hold('greatest(0, (entry->>1)');
      for (const slot of slots) slot.giveBack();
      await worker.end();
      await proxy.release();
      const after = await countOf();
      assert.is(before - after, 6);
      assert.is(await freeSlots(other.limiter({ key, rates })), 20 - after);
    }
    await other.end();
    await proxy.close();
  }));

const workerFile = fileURLToPath(new URL('./rate-worker.ts', import.meta.url));

const rates: readonly Rate[] = [
  { most: 20, ms: 250 },
  { most: 250, ms: 5000 },
];

/** A process that sends requests until a message comes. Returns their times. */
function startWorker(port: number, skew: number) {
  const child = fork(workerFile, [String(port), 'zombies', String(skew), JSON.stringify(rates)], {
    execArgv: ['--import', 'tsx'],
  });
  const times: number[] = [];
  child.on('message', (sent: number[]) => times.push(...sent));
  return { child, times, exit: once(child, 'exit') };
}

test('suspended workers, and clocks that are wrong by an hour, exceed no rate', () =>
  withPostgres(async ({ server }) => {
    const seed = Number(process.env.SEED ?? Date.now() % 1e6);
    console.log(`seed ${seed}`);
    const random = randomFrom(seed);
    const first = sharingAt(server.port, 'zombies');
    await first.prepare();
    const workers = [0, 3_600_000, -3_600_000, 0].map((skew) => startWorker(server.port, skew));
    for (const { child } of workers) await once(child, 'message'); // it is sending
    for (let stops = 0; stops < 25; stops += 1) {
      const { child } = workers[Math.floor(random() * workers.length)] ?? {};
      child?.kill('SIGSTOP');
      await sleep(50 + random() * 400);
      child?.kill('SIGCONT');
      await sleep(random() * 60);
    }
    for (const { child } of workers) child.send('end');
    await Promise.all(workers.map(({ exit }) => exit));
    first.end();
    const times = workers.flatMap((worker) => worker.times);
    assert.ok(
      workers.every((worker) => worker.times.length > 0),
      'each has sent some',
    );
    assert.ok(times.length > 300, `${times.length} requests`);
    for (const { most, ms } of rates) {
      assert.ok(mostWithin(times, ms) <= most, `${mostWithin(times, ms)} in ${ms} ms (seed ${seed})`);
    }
  }));

/** Numbers from 0 up to below 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

run.run();
