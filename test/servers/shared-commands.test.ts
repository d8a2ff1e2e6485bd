/** `rxtract run --on` and `rxtract worker` with a real PostgreSQL: who works, and what becomes of the run. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../src/cli/main-command.js';
import { inTemporary, ownCommand, type RunOptions } from '../blackbox/command.js';
import { type FakeShell, fakeShell } from '../cli/fake-shell.js';
import { type Api, headerOf, json, startApi } from '../loopback/api.js';
import { postgresMissing } from '../support/servers.js';
import { freePort } from '../support/start-server.js';
import { testWhere } from '../where.js';
import { type Lent, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

const shops = 20;

interface World extends Lent {
  readonly api: Api;
  readonly configuration: string;
  /** What becomes of a request for the orders of a shop: called before its response. */
  onOrders: (shop: number) => Promise<'ok' | 'failed'>;
  /** Starts a command in this process. `env`: of it. */
  start(words: readonly string[], env?: Readonly<Record<string, string>>): Started;
  /** Runs a command to its end. */
  call(...words: readonly string[]): Promise<Ended>;
  /** The arguments of a run into the schema `shop` of the same PostgreSQL. */
  runWords(...more: readonly string[]): readonly string[];
  /** Fails unless each shop and each order is there once. */
  mustBeWhole(): Promise<void>;
}

interface Ended {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly shell: FakeShell;
  readonly ended: Promise<Ended>;
  /** Settles when standard error has the text. */
  printed(text: string): Promise<void>;
}

/** An API with 20 shops in pages of 10, and three orders of each. */
const inWorld = (use: (world: World) => Promise<void>) => () =>
  withPostgres(async (lent) => {
    const api = await startApi(async ({ target }) => {
      const [, shop] = /^\/shops\/(\d+)\/orders/.exec(target) ?? [];
      if (shop !== undefined) {
        if ((await world.onOrders(Number(shop))) === 'failed') return json({ error: 'broken' }, { status: 500 });
        return json([1, 2, 3].map((order) => ({ id: Number(shop) * 10 + order })));
      }
      const from = (Number(/page=(\d+)/.exec(target)?.[1] ?? 1) - 1) * 10;
      return json(Array.from({ length: from < shops ? 10 : 0 }, (_, index) => ({ id: from + index })));
    });
    const configuration = JSON.stringify({
      api: {
        baseUrl: `${api.origin}/`,
        pagination: { method: 'pagenum', limit: 10 },
        http: { rateLimit: '1000/s' },
        retryConfig: { maxRetries: 0 },
      },
      config: {
        jobs: [
          {
            endpoint: 'shops',
            children: [{ endpoint: 'shops/{shop}/orders', dataType: 'orders', placeholders: { shop: 'id' } }],
          },
        ],
      },
    });
    const starts: Started[] = [];
    const world: World = {
      ...lent,
      api,
      configuration,
      onOrders: async () => 'ok',
      start(words, env = {}) {
        const shell = fakeShell({ stdin: configuration, env });
        const ended = rxtract([...words], shell).then((exit) => ({ exit, out: shell.out(), err: shell.err() }));
        const printed = async (text: string) => {
          while (!shell.err().includes(text)) await sleep(20);
        };
        const started = { shell, ended, printed };
        starts.push(started);
        return started;
      },
      call: (...words) => world.start(words).ended,
      runWords: (...more) => [
        'run',
        '-',
        '--to',
        lent.uri('?schema=shop'),
        '--on',
        lent.uri(),
        '--name',
        'nightly',
        ...more,
      ],
      async mustBeWhole() {
        const rows = await lent.sql(`SELECT (SELECT count(*)::int FROM shop.shops) AS shops,
          (SELECT count(*)::int FROM shop.orders) AS orders,
          (SELECT count(DISTINCT item ->> 'id')::int FROM shop.orders) AS ids`);
        assert.equal(rows, [{ shops, orders: 3 * shops, ids: 3 * shops }]);
      },
    };
    try {
      await use(world);
    } finally {
      for (const { shell } of starts) shell.signal('SIGTERM');
      await Promise.all(starts.map(({ ended }) => ended));
      await api.close();
    }
  });

test(
  'a run on a board is done by workers of its own, and ends as one without a board',
  inWorld(async ({ call, runWords, mustBeWhole, api }) => {
    const { exit, err, out } = await call(...runWords('--workers', '2'));
    assert.is(exit, 0, err);
    assert.is(out, '');
    assert.match(err, 'the run "nightly": submitted');
    assert.match(err, /shops +3 +3 +20 +0 +an empty page/);
    assert.match(err, /orders +20 +20 +60 +0 /);
    assert.match(err, /orders +shop\.orders at .* +60 /);
    assert.match(err, 'Each item is in the output exactly once.');
    assert.is(api.requests.length, 3 + shops);
    await mustBeWhole();
    const again = await call(...runWords());
    assert.is(again.exit, 1);
    assert.match(again.err, 'there is a run "nightly" already, and it is done: choose another name, or remove it');
  }),
);

test(
  '--detach prints the name, and a worker that is there does the run',
  inWorld(async ({ call, start, runWords, uri, mustBeWhole }) => {
    const worker = start(['worker', uri(), '--log', 'json']);
    await worker.printed('worker-started');
    const submitted = await call(...runWords('--detach'));
    assert.equal([submitted.exit, submitted.out], [0, 'nightly\n']);
    const watched = await call(...runWords('--workers', '0', '--log', 'json'));
    assert.is(watched.exit, 0, watched.err);
    assert.match(watched.err, '"code":"joined"');
    await mustBeWhole();
    worker.shell.signal('SIGTERM');
    const { exit, err } = await worker.ended;
    assert.is(exit, 0, err);
    assert.match(err, /"message":"\d+ tasks done, 0 failed, 0 given back"/);
    assert.match(err, /"event":"page".*"job":"orders"/);
  }),
);

test(
  'an interrupt leaves the run at the board, and the same command continues it',
  inWorld(async (world) => {
    const { start, runWords, call, uri, mustBeWhole } = world;
    let release = () => {};
    const reached = new Promise<void>((resolve) => {
      world.onOrders = (shop) => {
        if (shop !== 5) return Promise.resolve('ok');
        resolve();
        return new Promise((go) => {
          release = () => go('ok');
        });
      };
    });
    const first = start(runWords());
    await reached;
    assert.match((await call('status', uri(), 'nightly')).out, /nightly +running/);
    first.shell.signal('SIGINT');
    release();
    const interrupted = await first.ended;
    assert.is(interrupted.exit, 130, interrupted.err);
    assert.match(interrupted.err, 'this process leaves the run, its tasks after the current page');
    assert.match(interrupted.err, 'the run "nightly" stays at the board, and workers continue it');
    assert.match(interrupted.err, 'The same command with --name nightly shows it again and works at it');
    world.onOrders = async () => 'ok';
    const second = await call(...runWords());
    assert.is(second.exit, 0, second.err);
    assert.match(second.err, 'it is at the board already, and has not ended');
    await mustBeWhole();
  }),
);

test(
  'a cancelled run ends its command, and retry continues it',
  inWorld(async (world) => {
    const { start, runWords, call, uri, mustBeWhole } = world;
    const reached = new Promise<void>((resolve) => {
      world.onOrders = () => {
        resolve();
        return new Promise(() => {});
      };
    });
    const first = start(runWords('--workers', '2'));
    await reached;
    assert.match((await call('cancel', uri(), 'nightly')).out, /nightly +cancelled/);
    const { exit, err } = await first.ended;
    assert.is(exit, 1, err);
    assert.match(err, 'the run "nightly" was cancelled');
    world.onOrders = async () => 'ok';
    assert.match((await call(...runWords())).err, 'already, and it was cancelled: `rxtract retry` continues it');
    assert.is((await call('retry', uri(), 'nightly')).exit, 0);
    const second = await call(...runWords());
    assert.is(second.exit, 0, second.err);
    await mustBeWhole();
  }),
);

test(
  'a run whose API fails says so, and retry continues it when that is repaired',
  inWorld(async (world) => {
    const { runWords, call, uri, mustBeWhole, sql } = world;
    world.onOrders = async (shop) => (shop === 7 ? 'failed' : 'ok');
    // The waits between attempts are not the subject.
    const impatient = setInterval(() => {
      void sql('UPDATE rxtract.tasks SET not_before = now() WHERE not_before > now()').catch(() => {});
    }, 200);
    const { exit, err } = await call(...runWords('--workers', '3', '--log', 'json')).finally(() =>
      clearInterval(impatient),
    );
    assert.is(exit, 1, err);
    const events = err
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const failure = events.find(({ event }) => event === 'error');
    assert.is(failure.code, 'ERR_TASKS');
    assert.match(failure.message, /^1 of \d+ tasks of the run "nightly" failed\nJ0-P0-C0-R\d+: ERR_STATUS: .*500/);
    assert.is(events.filter(({ code }) => code === 'task-failed').length, 5);
    const orders = events.at(-1).jobs.find(({ job }: { job: string }) => job === 'orders');
    assert.is(orders.stop, 'not all tasks are done');
    assert.match(
      (await call('status', uri(), 'nightly')).out,
      /nightly +failed .*\n\ntask +last error\nJ0-P0-C0-R\d+ +ERR_STATUS/s,
    );
    assert.match((await call(...runWords())).err, 'already, and it has failed: `rxtract retry` continues it');
    world.onOrders = async () => 'ok';
    await call('retry', uri(), 'nightly');
    const second = await call(...runWords());
    assert.is(second.exit, 0, second.err);
    await mustBeWhole();
  }),
);

test(
  'another configuration does not join a run of the name, and one of another version does not either',
  inWorld(async ({ call, runWords, sql }) => {
    await call(...runWords('--detach'));
    const other = await call(...runWords('--set', 'config.jobs[0].params.limit=7'));
    assert.is(other.exit, 1);
    assert.match(
      other.err,
      'the run "nightly" has another configuration or window (config.jobs[0].params.limit is new)',
    );
    const elsewhere = await call(...runWords('--to', 'null:', '--block', '3'));
    assert.is(elsewhere.exit, 1);
    assert.match(elsewhere.err, 'the run "nightly" has other options (to, block): choose another name');
    assert.not.match(elsewhere.err, 'null:');
    await sql(`UPDATE rxtract.runs SET begin = regexp_replace(begin, '"version":"[^"]*"', '"version":"0.0.1"')`);
    const older = await call(...runWords());
    assert.match(older.err, 'the run "nightly" is one of rxtract 0.0.1: choose another name');
  }),
);

test(
  'a worker starts before the PostgreSQL, and goes on when it is back',
  inWorld(async ({ server, start, call, runWords, uri, mustBeWhole }) => {
    await server.kill();
    const worker = start(['worker', uri(), '--slots', '1', '--lease', '2s']);
    await worker.printed('asking again until it can be reached');
    await server.start();
    await worker.printed('the board can be reached again');
    const { exit, err } = await call(...runWords('--workers', '0'));
    assert.is(exit, 0, err);
    await mustBeWhole();
  }),
);

test(
  'a run without a name has that of its configuration and the time, and its secrets are encrypted with the key',
  inWorld(async ({ start, uri, configuration, sql }) => {
    const env = { RXTRACT_KEY: Buffer.alloc(32, 7).toString('base64') };
    const words = ['--to', 'null:', '--on', uri(), '--on-item-error', `dead-letter=${uri('?schema=letters')}`];
    const piped = await start(['run', '-', ...words, '--detach'], env).ended;
    assert.match(piped.out, /^run-\d{8}-\d{6}\n$/, piped.err);
    await inTemporary(async (dir) => {
      writeFileSync(`${dir}/shops.json`, configuration);
      const { exit, err } = await start(['run', `${dir}/shops.json`, ...words], env).ended;
      assert.is(exit, 0, err);
      assert.match(err, /the run "shops-\d{8}-\d{6}": submitted/);
    });
    const stored = await sql('SELECT work FROM rxtract.runs');
    for (const { work } of stored) assert.equal(Object.keys(JSON.parse(String(work))), ['format', 'sealed']);
  }),
);

test(
  'metrics of a worker and of a run have the tasks of the board, and the pages of their own',
  inWorld(async (world) => {
    const { start, call, runWords, uri } = world;
    let release = () => {};
    const reached = new Promise<void>((resolve) => {
      world.onOrders = () => {
        resolve();
        return new Promise((go) => {
          release = () => go('ok');
        });
      };
    });
    const shown = async ({ printed, shell }: Started) => {
      await printed('/metrics');
      const [at = ''] = /http:[^\s"]+\/metrics/.exec(shell.err()) ?? [];
      return (await fetch(at)).text();
    };
    const worker = start(['worker', uri(), '--slots', '1', '--metrics', String(await freePort())]);
    await call(...runWords('--detach', '--block', '20'));
    await reached;
    const watching = start(runWords('--block', '20', '--workers', '0', '--metrics', String(await freePort())));
    const texts = [await shown(worker), await shown(watching)];
    world.onOrders = async () => 'ok';
    release();
    for (const text of texts) {
      assert.match(text, /^rxtract_board_tasks\{run="nightly",task_state="leased"\} 1$/m);
      assert.match(text, /^rxtract_board_lease_time_seconds\{run="nightly"\} [\d.]+$/m);
    }
    assert.match(texts[0] ?? '', /^rxtract_requests_total\{job="shops".*\} 3$/m);
    const { exit, err } = await watching.ended;
    assert.is(exit, 0, err);
    assert.not.match(await shown(worker), 'rxtract_board_tasks{');
  }),
);

test(
  'a second signal ends a worker at once',
  inWorld(async (world) => {
    const { start, call, runWords, uri } = world;
    let release = () => {};
    const reached = new Promise<void>((resolve) => {
      world.onOrders = () => {
        resolve();
        return new Promise((go) => {
          release = () => go('ok');
        });
      };
    });
    const worker = start(['worker', uri()]);
    await call(...runWords('--detach'));
    await reached;
    worker.shell.signal('SIGTERM');
    worker.shell.signal('SIGTERM');
    assert.equal(worker.shell.exits, [143]);
    world.onOrders = async () => 'ok';
    release();
    await worker.ended;
  }),
);

test(
  'the queries of the chapter are those of the tables',
  inWorld(async ({ call, runWords, sql }) => {
    await call(...runWords());
    const chapter = readFileSync(new URL('../../docs/19-workers.md', import.meta.url), 'utf8');
    const queries = [...chapter.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
    assert.ok(queries.length >= 5);
    const results = [];
    for (const query of queries) results.push(await sql(query));
    assert.equal(results[2], [
      { job: 0, pages: '3', items: '20' },
      { job: 1, pages: '20', items: '60' },
    ]);
  }),
);

/** Runs the built command as a process of a host of its own: folder, home and variables are not those of others. */
const onHost = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  options: Omit<RunOptions, 'cwd' | 'env'> = {},
) =>
  inTemporary((home) =>
    ownCommand(args, {
      ...options,
      cwd: home,
      env: { HOME: home, XDG_CACHE_HOME: `${home}/cache`, TMPDIR: home, ...env },
    }),
  );

test(
  'hosts that share nothing but the PostgreSQL do a run, also when one of them is killed',
  inWorld(async (world) => {
    const { configuration, runWords, uri, mustBeWhole, sql, api } = world;
    const token = 'token-of-the-workers';
    const document = JSON.parse(configuration);
    document.api.http.headers = { Authorization: { env: 'API_TOKEN' } };
    const submitted = await onHost(
      runWords('--detach', '--block', '3'),
      { API_TOKEN: token },
      { stdin: JSON.stringify(document) },
    );
    assert.is(submitted.exit, 0, submitted.stderr);
    let kill = () => {};
    world.onOrders = async (shop) => {
      if (shop === 4) kill();
      await sleep(20);
      return 'ok';
    };
    const worker = (onStart?: RunOptions['onStart']) =>
      onHost(
        ['worker', uri(), '--lease', '1s', '--slots', '1'],
        { API_TOKEN: token },
        onStart === undefined ? {} : { onStart },
      );
    const killed = await worker((signal) => {
      kill = () => signal('SIGKILL');
    });
    assert.is(killed.exit, null);
    kill = () => {};
    const ends: (() => void)[] = [];
    const others = [1, 2].map(() => worker((signal) => void ends.push(() => signal('SIGTERM'))));
    while ((await sql('SELECT FROM rxtract.tasks WHERE state <> $$done$$')).length > 0) await sleep(50);
    for (const end of ends) end();
    for (const { exit, stderr } of await Promise.all(others)) {
      assert.is(exit, 0, stderr);
      assert.not.match(stderr, token);
    }
    await mustBeWhole();
    assert.is(
      api.requests.every((request) => headerOf(request, 'authorization') === token),
      true,
    );
    const [stored] = await sql(`SELECT string_agg(work, '') AS work FROM rxtract.runs`);
    assert.not.match(String(stored?.work), token);
  }),
);

run.run();
