/**
 * Runs that are killed and resumed, as a black box: the files they leave, the requests they repeat, and output equal to
 * that of an uninterrupted run.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openDatabase } from '../../sinks/duckdb/duckdb-client.js';
import { createDice } from '../chaos/dice.js';
import { configurationOf, onServer, type Scene, scenes, secret, token } from '../checkpoint/scenes.js';
import { type Api, items, json } from '../loopback/api.js';
import { type RunOptions as CommandOptions, command, commandHere, type Ended, filesIn, ownCommand } from './command.js';

interface Stage {
  readonly directory: string;
  readonly server: Api;
  /** Sends the running process a signal; resolves when it has reported that. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** Runs the scene; the process is killed when it makes its `killAt`th request, which is never answered. */
  run(out: string, more: readonly string[], killAt?: number): Promise<Ran>;
  /** Runs it to its end; nothing is sent to the process. */
  runWhole(out: string, more: readonly string[]): Promise<Ran>;
  /** The same in this process. */
  runHere(out: string): Promise<Ran>;
}

interface Ran extends Ended {
  readonly asked: readonly string[];
}

const summaryIn = ({ stderr }: Ended) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '{}');

/** A server, and a directory with the configuration. */
function on(scene: Scene, play: (stage: Stage) => Promise<void>): Promise<void> {
  let send = (_: NodeJS.Signals) => {};
  let reported = async (_: string) => {};
  let left = Number.POSITIVE_INFINITY;
  const answer: Scene['answer'] = (...asked) => {
    left -= 1;
    if (left > 0) return scene.answer(...asked);
    send('SIGKILL');
    return { body: () => {} };
  };

  const played = onServer({ ...scene, answer }, async (server, directory) => {
    const config = join(directory, 'config.json');
    await writeFile(config, JSON.stringify(configurationOf(scene, server.origin)));
    const address = (out: string) => (out.includes(':') ? out : `ndjson:${join(directory, out)}`);
    const words = (out: string) => ['run', config, '--to', address(out), '--log', 'json'];
    const ran = async (work: () => Promise<Ended>): Promise<Ran> => {
      const before = server.requests.length;
      const ended = await work();
      return { ...ended, asked: server.requests.slice(before).map(({ method, target }) => `${method} ${target}`) };
    };
    await play({
      directory,
      server,
      signal(name) {
        send(name);
        return reported('"code":"interrupted"');
      },
      run(out, more, killAt = Number.POSITIVE_INFINITY) {
        left = killAt;
        const onStart: CommandOptions['onStart'] = (signal, printed) => {
          send = signal;
          reported = printed;
        };
        return ran(() => ownCommand([...words(out), ...more], { cwd: directory, onStart }));
      },
      runWhole(out, more) {
        left = Number.POSITIVE_INFINITY;
        return ran(() => command([...words(out), ...more], { cwd: directory }));
      },
      runHere: (out) => ran(() => commandHere(words(out))),
    });
  });
  return played();
}

const seed = 20261121;
const stateful = ['--state', 'state'];
const resuming = [...stateful, '--resume'];
const supervised = [...stateful, '--resume-only'];

async function mustHoldNoSecret(directory: string): Promise<void> {
  for (const [name, text] of Object.entries(await filesIn(join(directory, 'state')))) {
    for (const hidden of [secret, token]) assert.not.ok(text.includes(hidden), name);
  }
}

for (const scene of scenes.filter(({ concurrency }) => concurrency === undefined)) {
  test(`killed again and again, then ended: ${scene.what} (seed ${seed})`, () =>
    on(scene, async ({ directory, server, run, runWhole, runHere }) => {
      const unbroken = await runHere('unbroken');
      assert.is(unbroken.exit, 0, unbroken.stderr);
      const isFree = (index: number) => scene.isFree?.(server.requests[index]?.target ?? '') === true;
      const dice = createDice(seed);
      const start = server.requests.length;
      const kills: number[] = [];
      for (let done = 0; kills.length < 2 && done < unbroken.asked.length; ) {
        const killAt = dice.between(2, 1 + Math.ceil(unbroken.asked.length / 2));
        const { exit, stderr } = await run('out', kills.length === 0 ? stateful : supervised, killAt);
        if (exit === 0) break;
        assert.is(exit, null, `${stderr} killed at ${killAt}`);
        await mustHoldNoSecret(directory);
        kills.push(killAt);
        done += killAt - 2;
      }
      const last = await runWhole('out', supervised);
      assert.is(last.exit, 0, last.stderr);
      assert.equal(await filesIn(join(directory, 'out')), await filesIn(join(directory, 'unbroken')), `kills ${kills}`);

      const asked = server.requests.slice(start).filter((_, index) => !isFree(start + index));
      const least = unbroken.asked.filter((_, index) => !isFree(index)).length;
      // Pages of a window that was not complete are not written: all of them are asked for again.
      if (scene.discards === true) assert.ok(asked.length <= least * (kills.length + 1), `kills ${kills}`);
      else assert.is(asked.length, least + kills.length, `only what was under way is asked for again; kills ${kills}`);
      await mustHoldNoSecret(directory);
      assert.match(last.stderr, /"guarantee":"exactly once"/);
    }));
}

/** Three pages; calls `hear` before each response. */
function telling(hear: (page: number) => void | Promise<void> = () => {}): Scene {
  return {
    what: '',
    api: { pagination: { method: 'pagenum' } },
    jobs: [{ endpoint: 'users' }, { endpoint: 'groups' }],
    answer: (url) => ({
      headers: { 'content-type': 'application/json' },
      async body(response) {
        const page = Number(url.searchParams.get('page'));
        if (url.pathname === '/users') await hear(page);
        response.end(JSON.stringify(page > 3 ? [] : items(page * 2, 2)));
      },
    }),
  };
}

test('killed between two renames, a resumed run publishes the rest and sends no request', () =>
  on(telling(), async ({ directory, runWhole }) => {
    const first = await runWhole('out', stateful);
    assert.is(first.exit, 0, first.stderr);
    const published = await filesIn(join(directory, 'out'));
    const journal = join(directory, 'state', 'journal');
    const lines = (await readFile(journal, 'utf8')).split('\n');
    const publishing = lines.findIndex((line) => line.includes('"type":"publishing"'));
    await writeFile(
      journal,
      lines
        .slice(0, publishing + 1)
        .map((line) => `${line}\n`)
        .join(''),
    );
    await rename(join(directory, 'out', 'groups.ndjson'), join(directory, 'out', 'groups.ndjson.partial'));
    const rest = await runWhole('out', resuming);
    assert.is(rest.exit, 0, rest.stderr);
    assert.equal(rest.asked, []);
    assert.equal(await filesIn(join(directory, 'out')), published);
    assert.equal(Object.keys(published), ['groups.ndjson', 'users.ndjson']);
  }));

for (const [name, exit] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const) {
  test(`${name} lets the current page finish, and the run can be resumed`, () => {
    let signal = async () => {};
    return on(
      telling((page) => (page === 2 ? signal() : undefined)),
      async ({ directory, run, runWhole, ...stage }) => {
        signal = () => stage.signal(name);
        const first = await run('out', [...stateful, '--drain', '60']);
        assert.is(first.exit, exit, first.stderr);
        assert.equal(first.asked, ['GET /users?page=1', 'GET /users?page=2']);
        signal = async () => {};
        const rest = await runWhole('out', resuming);
        assert.is(rest.exit, 0, rest.stderr);
        assert.is(rest.asked[0], 'GET /users?page=3');
        assert.is((await filesIn(join(directory, 'out')))['users.ndjson'], pages3);
      },
    );
  });
}

const pages3 = items(2, 6)
  .map((item) => `${JSON.stringify(item)}\n`)
  .join('');

test('a page that is not finished is requested again', () => {
  let signal: (() => Promise<void>) | undefined;
  const hanging = telling((page) => {
    if (page !== 2 || signal === undefined) return undefined;
    void signal();
    return new Promise(() => {});
  });
  return on(hanging, async ({ run, runWhole, ...stage }) => {
    signal = () => stage.signal('SIGTERM');
    const first = await run('out', [...stateful, '--drain', '0']);
    assert.is(first.exit, 143, first.stderr);
    signal = undefined;
    const rest = await runWhole('out', resuming);
    assert.is(rest.exit, 0, rest.stderr);
    assert.is(rest.asked[0], 'GET /users?page=2');
  });
});

test('while a run uses the state, another one is rejected with its name', () => {
  const seen: Ended[] = [];
  let other = async () => {};
  return on(
    telling((page) => (page === 2 ? other() : undefined)),
    async ({ directory, run }) => {
      other = async () => {
        const args = ['run', 'config.json', '--to', 'ndjson:out', ...resuming];
        seen.push(await ownCommand(args, { cwd: directory }));
      };
      const first = await run('out', stateful);
      assert.is(first.exit, 0, first.stderr);
      assert.is(seen[0]?.exit, 1);
      assert.match(
        seen[0]?.stderr ?? '',
        /another run is using it: process \d+ on .* holds "state.lock"[\s\S]*ERR_STATE/,
      );
      assert.equal(first.asked.length, 8);
    },
  );
});

/** Reads the rows of `users`, as JSON. */
async function usersIn(directory: string, out: string): Promise<string> {
  if (!out.startsWith('duckdb:')) return (await filesIn(join(directory, out)))['users.ndjson'] ?? '';
  const database = await openDatabase(join(directory, out.slice('duckdb:'.length)));
  try {
    const rows = await database.rows('SELECT to_json(users)::VARCHAR AS item FROM users ORDER BY id');
    return rows.map(({ item }) => `${item}\n`).join('');
  } finally {
    database.close();
  }
}

for (const out of ['out', 'duckdb:out.db']) {
  test(`one line for all runs: a killed run is continued, a complete one is followed by the next, into ${out}`, () => {
    let count = 6;
    const scene: Scene = {
      ...telling(),
      jobs: [{ endpoint: 'users' }],
      answer: (url) => {
        const page = Number(url.searchParams.get('page'));
        return json(page * 2 > count ? [] : items(page * 2, 2).map(({ id }) => ({ id })));
      },
    };
    const expected = () => Array.from({ length: count }, (_, index) => `{"id":${index + 2}}\n`).join('');
    return on(scene, async ({ directory, run, runWhole }) => {
      const quiet = [...resuming, '--quiet'];
      assert.is((await run(out, quiet, 3)).exit, null);
      const rest = await runWhole(out, quiet);
      assert.equal([rest.exit, rest.asked.length, summaryIn(rest).ran], [0, 2, true], rest.stderr);
      assert.is(await usersIn(directory, out), expected());

      count = 8;
      const next = await runWhole(out, resuming);
      assert.equal([next.exit, next.asked.length, summaryIn(next).ran], [0, 5, true], next.stderr);
      assert.match(
        next.stderr,
        /"code":"nothing-to-resume","message":"the run in \\"state\\" is complete: starting a new run"/,
      );
      assert.is(await usersIn(directory, out), expected());

      count = 10;
      assert.is((await run(out, quiet, 4)).exit, null);
      const only = [...supervised, '--quiet'];
      const restOfNext = await runWhole(out, only);
      assert.equal(
        [restOfNext.exit, restOfNext.asked.length, summaryIn(restOfNext).ran],
        [0, 3, true],
        restOfNext.stderr,
      );
      assert.is(await usersIn(directory, out), expected());
      const none = await runWhole(out, only);
      assert.equal([none.exit, none.asked, summaryIn(none).ran], [0, [], false], none.stderr);
      assert.is(await usersIn(directory, out), expected());
    });
  });
}

const refused = [
  { words: ['--resume'], says: /--resume needs --state PATH/ },
  { words: ['--drain', '3'], says: /--drain needs --state PATH/ },
  { words: ['--state', 'state', '--drain', 'x'], says: /--drain is a time such as 90s, 10m or 1h30m, found .+x/ },
  { words: ['--state', ''], says: /--state needs a folder/ },
];

test('conflicting options are rejected before anything else', () =>
  on(telling(), async ({ directory, runWhole }) => {
    for (const { words, says } of refused) {
      const { exit, stderr, asked } = await runWhole('out', words);
      assert.is(exit, 1);
      assert.match(stderr, says);
      assert.equal(asked, []);
    }
    assert.equal(Object.keys(await filesIn(directory)), ['config.json']);
  }));

test.run();
