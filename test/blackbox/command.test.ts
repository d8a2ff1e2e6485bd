/** The command line as a black box: its verbs, options, streams and exit codes. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, items, json, type Routes, startApi } from '../loopback/api.js';
import { command, filesIn, inTemporary, ownCommand } from './command.js';
import { lines } from './row.js';

interface Scene {
  readonly directory: string;
  readonly origin: string;
  readonly targets: () => readonly string[];
  readonly run: (...args: readonly string[]) => ReturnType<typeof command>;
  /** In a process of its own. */
  readonly runOwn: Scene['run'];
}

const jobs = (...endpoints: readonly string[]) => endpoints.map((endpoint) => ({ endpoint, dataType: endpoint }));

/** A server, and a directory with `config.json` that names it; `run` works in that directory. */
function scene(
  answers: Routes | Answer,
  config: object,
  api: object,
  use: (scene: Scene) => Promise<void>,
): Promise<void> {
  return inTemporary(async (directory) => {
    const server = await startApi(answers);
    try {
      await writeFile(
        join(directory, 'config.json'),
        JSON.stringify({ api: { baseUrl: `${server.origin}/`, retryConfig: { maxRetries: 0 }, ...api }, config }),
      );
      const targets = () => server.requests.map(({ target }) => target);
      await use({
        directory,
        origin: server.origin,
        targets,
        run: (...args) => command(args, { cwd: directory }),
        runOwn: (...args) => ownCommand(args, { cwd: directory }),
      });
    } finally {
      await server.close();
    }
  });
}

const twoJobs = { jobs: jobs('a', 'b') };
const twoRoutes: Routes = { 'GET /a': json(items(1, 2)), 'GET /b': json(items(3, 1)) };

test('--help prints the commands and the options to stdout', async () => {
  const { exit, stdout } = await command(['--help']);
  assert.is(exit, 0);
  for (const word of ['run', 'validate', '--to', '--job', '--concurrency', '--strict', '--quiet', '--log']) {
    assert.ok(stdout.includes(word), word);
  }
});

test('--version prints the version of package.json', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  assert.equal(await ownCommand(['--version']), { exit: 0, stdout: `${version}\n`, stderr: '' });
});

for (const args of [
  [],
  ['rnu', 'config.json'],
  ['run'],
  ['run', 'config.json', '--tow', 'x'],
  ['run', 'config.json', '--concurrency', 'x'],
]) {
  test(`a wrong command line is an error of one message: ${JSON.stringify(args)}`, () =>
    scene(twoRoutes, twoJobs, {}, async ({ run, targets }) => {
      const { exit, stdout, stderr } = await run(...args);
      assert.is(exit, 1, stderr);
      assert.is(stdout, '');
      assert.is.not(stderr, '');
      assert.not.match(stderr, /^\s+at /m);
      assert.equal(targets(), []);
    }));
}

test('an unknown sink is an error that names those there are, before any request', () =>
  scene(twoRoutes, twoJobs, {}, async ({ run, targets }) => {
    const { exit, stderr } = await run('run', 'config.json', '--to', 'ndjsno:out');
    assert.is(exit, 1, stderr);
    assert.match(stderr, /ndjsno/);
    assert.match(stderr, /ndjson/);
    assert.equal(targets(), []);
  }));

test('without --to the files go to out/', () =>
  scene(twoRoutes, twoJobs, {}, async ({ run, directory }) => {
    const { exit, stdout, stderr } = await run('run', 'config.json');
    assert.is(exit, 0, stderr);
    assert.is(stdout, '');
    assert.equal(await filesIn(join(directory, 'out')), {
      'a.ndjson': lines(...items(1, 2)),
      'b.ndjson': lines(...items(3, 1)),
    });
  }));

test('--to may be repeated', () =>
  scene(twoRoutes, { jobs: jobs('a') }, {}, async ({ run, directory }) => {
    const { exit, stderr } = await run('run', 'config.json', '--to', 'ndjson:one', '--to', 'ndjson:two');
    assert.is(exit, 0, stderr);
    for (const name of ['one', 'two']) {
      assert.equal(await filesIn(join(directory, name)), { 'a.ndjson': lines(...items(1, 2)) });
    }
  }));

test('the configuration can be read from stdin', () =>
  scene(twoRoutes, twoJobs, {}, async ({ directory, targets }) => {
    const stdin = await readFile(join(directory, 'config.json'), 'utf8');
    const { exit, stderr } = await ownCommand(['run', '-', '--to', 'ndjson:out'], { cwd: directory, stdin });
    assert.is(exit, 0, stderr);
    assert.equal([...targets()].sort(), ['/a', '/b']);
  }));

test('the configuration may have comments', () =>
  scene(twoRoutes, twoJobs, {}, async ({ directory, targets }) => {
    const stdin = `// why\n${await readFile(join(directory, 'config.json'), 'utf8')} /* end */`;
    const { exit, stderr } = await command(['run', '-', '--to', 'ndjson:out'], { cwd: directory, stdin });
    assert.is(exit, 0, stderr);
    assert.equal([...targets()].sort(), ['/a', '/b']);
  }));

test('--job chooses jobs by name, more than once', () =>
  scene({ ...twoRoutes, 'GET /c': json(items(9, 1)) }, { jobs: jobs('a', 'b', 'c') }, {}, async ({ run, targets }) => {
    const { exit, stderr } = await run('run', 'config.json', '--job', 'c', '--job', 'a');
    assert.is(exit, 0, stderr);
    assert.equal([...targets()].sort(), ['/a', '/c']);
  }));

test('an unknown --job is an error that names those there are, before any request', () =>
  scene(twoRoutes, { jobs: jobs('users', 'orders') }, {}, async ({ run, targets }) => {
    const { exit, stderr } = await run('run', 'config.json', '--job', 'usres');
    assert.is(exit, 1, stderr);
    assert.match(stderr, /usres/);
    assert.match(stderr, /\busers\b/);
    assert.equal(targets(), []);
  }));

test('--quiet prints nothing about a successful run', () =>
  scene(twoRoutes, twoJobs, {}, async ({ runOwn }) => {
    assert.equal(await runOwn('run', 'config.json', '--quiet'), { exit: 0, stdout: '', stderr: '' });
  }));

test('--log json writes one object a line, and the summary last', () =>
  scene(
    { 'GET /a?page=1': json(items(1, 2)), 'GET /a?page=2': json(items(3, 1)), 'GET /a?page=3': json([]) },
    { jobs: jobs('a') },
    { pagination: { method: 'pagenum' } },
    async ({ run }) => {
      const { exit, stdout, stderr } = await run('run', 'config.json', '--log', 'json');
      assert.is(exit, 0, stderr);
      assert.is(stdout, '');
      const events = stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      const { event, jobs: summary, exit: exitCode } = events.at(-1);
      assert.is(event, 'summary');
      assert.is(exitCode, 0);
      assert.is(summary.length, 1);
      const { job, stop, ...counts } = summary[0];
      assert.is(job, 'a');
      assert.type(stop, 'string');
      assert.equal(
        {
          dataType: counts.dataType,
          requests: counts.requests,
          pages: counts.pages,
          items: counts.items,
          retries: counts.retries,
        },
        { dataType: 'a', requests: 3, pages: 3, items: 3, retries: 0 },
      );
    },
  ));

test('--log json prints one object a line in a failed run too, and the summary has the exit code', () =>
  scene({ 'GET /a': json({ error: 'two\nlines' }, { status: 500 }) }, { jobs: jobs('a') }, {}, async ({ runOwn }) => {
    const { exit, stderr } = await runOwn('run', 'config.json', '--log', 'json');
    assert.is(exit, 1, stderr);
    const events = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.is(events.at(-1).event, 'summary');
    assert.is(events.at(-1).exit, 1);
    assert.ok(
      events.some((each) => JSON.stringify(each).includes('ERR_STATUS')),
      stderr,
    );
  }));

test('validate accepts a good configuration without a request', () =>
  scene(twoRoutes, twoJobs, {}, async ({ run, targets, directory }) => {
    const { exit, stderr } = await run('validate', 'config.json');
    assert.is(exit, 0, stderr);
    assert.equal(targets(), []);
    assert.equal(await filesIn(join(directory, 'out')), {});
  }));

test('validate rejects an invalid configuration and lists its problems', () =>
  scene(
    twoRoutes,
    { jobs: [{ dataType: 'a' }] },
    { pagination: { method: 'pagenumm' } },
    async ({ runOwn, targets }) => {
      const { exit, stderr } = await runOwn('validate', 'config.json');
      assert.is(exit, 1, stderr);
      assert.match(stderr, /pagination\.method/);
      assert.match(stderr, /endpoint/);
      assert.equal(targets(), []);
    },
  ));

test('an earlier file stays when the run fails', () =>
  scene({ 'GET /a': json({}, { status: 500 }) }, { jobs: jobs('a') }, {}, async ({ run, directory }) => {
    await mkdir(join(directory, 'out'));
    await writeFile(join(directory, 'out', 'a.ndjson'), 'earlier\n');
    assert.is((await run('run', 'config.json')).exit, 1);
    assert.is((await filesIn(join(directory, 'out')))['a.ndjson'], 'earlier\n');
  }));

test('a successful run replaces an earlier file and the rest of a failed run', () =>
  scene(twoRoutes, { jobs: jobs('a') }, {}, async ({ run, directory }) => {
    await mkdir(join(directory, 'out'));
    await writeFile(join(directory, 'out', 'a.ndjson'), 'earlier\n');
    await writeFile(join(directory, 'out', 'a.ndjson.partial'), 'half');
    assert.is((await run('run', 'config.json')).exit, 0);
    assert.equal(await filesIn(join(directory, 'out')), { 'a.ndjson': lines(...items(1, 2)) });
  }));

for (const [first, second] of [
  ['a b', 'a_b'],
  ['Users', 'users'],
] as const) {
  test(`data types ${first} and ${second} get their own files, with a notice`, () => {
    const config = {
      jobs: [
        { endpoint: 'a', dataType: first },
        { endpoint: 'b', dataType: second },
      ],
    };
    return scene(twoRoutes, config, {}, async ({ run, directory }) => {
      const { exit, stderr } = await run('run', 'config.json');
      assert.is(exit, 0, stderr);
      const files = await filesIn(join(directory, 'out'));
      assert.equal(Object.values(files).sort(), [lines(...items(1, 2)), lines(...items(3, 1))].sort());
      const names = Object.keys(files).map((name) => name.toLowerCase());
      assert.is(new Set(names).size, 2);
      for (const name of Object.keys(files)) {
        if (name !== `${first}.ndjson` && name !== `${second}.ndjson`) assert.ok(stderr.includes(name), stderr);
      }
    });
  });
}

test('--concurrency bounds the requests in flight, and is reached', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const waiting: (() => void)[] = [];
  const state = { inFlight: 0, most: 0 };
  // A reply waits until as many requests as allowed are there, so a command that is too careful would hang.
  const answer: Answer = async () => {
    state.inFlight += 1;
    state.most = Math.max(state.most, state.inFlight);
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 3) for (const go of waiting.splice(0)) go();
    });
    state.inFlight -= 1;
    return json(items(1, 1));
  };
  return scene(answer, { jobs: jobs(...names) }, {}, async ({ run, directory }) => {
    const { exit, stderr } = await run('run', 'config.json', '--concurrency', '3');
    assert.is(exit, 0, stderr);
    assert.is(state.most, 3);
    assert.equal(
      Object.keys(await filesIn(join(directory, 'out'))),
      names.map((name) => `${name}.ndjson`),
    );
  });
});

test('the built command sends items to an HTTP receiver', () =>
  scene(
    { 'GET /users': json(items(1, 2)), 'POST /received': { status: 204 } },
    { jobs: jobs('users') },
    {},
    async ({ origin, run, targets }) => {
      const { exit, stderr } = await run('run', 'config.json', '--to', `${origin}/received`);
      assert.is(exit, 0, stderr);
      assert.equal([...targets()].sort(), ['/received', '/users']);
    },
  ));

test.run();
