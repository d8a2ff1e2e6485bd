/** `--record` and `--replay` on the command line, and what a killed process leaves. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandHere, type Ended, inTemporary, ownCommand } from '../blackbox/command.js';
import { items, json, startApi } from '../loopback/api.js';

const secret = 's3cret-value';

/** An API with a secret in its second item, and the configuration, whose key is of the environment. */
async function withApi(
  work: (call: (...words: readonly string[]) => Promise<Ended>, close: () => Promise<void>) => Promise<void>,
) {
  const answer = ({ target }: { readonly target: string }) =>
    json(target.includes('page=1') ? [{ id: 1 }, { echo: secret }] : []);
  const api = await startApi(answer);
  const config = {
    api: {
      baseUrl: `${api.origin}/`,
      http: { headers: { 'X-Key': { attr: '#key' } } },
      pagination: { method: 'pagenum' },
    },
    config: { '#key': { env: 'KEY' }, jobs: [{ endpoint: 'users' }] },
  };
  const call = (...words: readonly string[]) => {
    const env: Record<string, string> = words.includes('--replay') ? {} : { KEY: secret };
    return commandHere(['run', '-', '--to', 'stdout:', ...words], { stdin: JSON.stringify(config), env });
  };
  await work(call, api.close).finally(() => api.close().catch(() => undefined));
}

test('a run is recorded, and replayed without the API and without its key', () =>
  withApi((call, close) =>
    inTemporary(async (folder) => {
      const path = join(folder, 'run.jsonl');
      const recorded = await call('--record', path);
      assert.equal([recorded.exit, recorded.stdout], [0, `{"id":1}\n{"echo":"${secret}"}\n`]);
      assert.match(recorded.stderr, `recorded 2 exchanges in ${path}`);
      assert.match(
        recorded.stderr,
        /warning: secrets are masked in 1 response of the recording: .* \[recording-masked\]/,
      );
      assert.is((await stat(path)).mode & 0o777, 0o600);
      assert.not.match(await readFile(path, 'utf8'), secret);
      await close();
      const replayed = await call('--replay', path);
      assert.equal([replayed.exit, replayed.stdout], [0, '{"id":1}\n{"echo":"***"}\n']);
      assert.match(replayed.stderr, 'the environment has no KEY: the replay uses stand-ins');
      assert.match(replayed.stderr, `replayed 2 exchanges from ${path}\n`);
      const part = await call('--replay', path, '--max-pages', '1', '--allow', 'recording-masked');
      assert.match(part.stderr, `replayed 1 exchange from ${path}; 1 exchange of the recording not used`);
      assert.not.match(part.stderr, 'recording-masked');
    }),
  ));

test('a replay that differs fails with the difference', () =>
  withApi((call) =>
    inTemporary(async (folder) => {
      const path = join(folder, 'run.jsonl');
      await call('--record', path);
      const { exit, stderr } = await call('--replay', path, '--set', 'config.jobs[0].params.q=7');
      assert.is(exit, 1);
      assert.match(stderr, /error: GET .*users\?q=7&page=1: .*run\.jsonl has no such request/);
      assert.match(stderr, 'parameter "q": 7, recorded none');
      assert.match(stderr, 'ERR_REPLAY');
    }),
  ));

const wrong: readonly [words: readonly string[], message: string][] = [
  [['--record', 'a', '--replay', 'b'], '--record and --replay exclude each other'],
  [['--record', ''], '--record needs a file'],
  [['--replay', ''], '--replay needs a file'],
  [['--replay', 'a', '--proxy', 'env'], '--replay opens no connection: leave out --proxy'],
];

for (const [words, message] of wrong) {
  test(`${words.join(' ')} is refused`, () =>
    withApi(async (call) => {
      const { exit, stderr } = await call(...words);
      assert.is(exit, 1);
      assert.match(stderr, message);
    }));
}

test('an invalid configuration leaves no lock and no clock: the next run works', () =>
  withApi((call) =>
    inTemporary(async (folder) => {
      const path = join(folder, 'run.jsonl');
      const { stderr } = await call('--record', path, '--set', 'config.jobs=1');
      assert.match(stderr, 'ERR_CONFIG');
      assert.is((await call('--record', path)).exit, 0);
    }),
  ));

test('a process that is killed while it records leaves a recording that is replayed up to there', () =>
  inTemporary(async (folder) => {
    const path = join(folder, 'run.jsonl');
    let onHang = () => {};
    const hangs = new Promise<void>((resolve) => {
      onHang = resolve;
    });
    const api = await startApi(({ target }) => {
      if (target.includes('page=1')) return json(items(1, 5));
      return {
        headers: { 'content-type': 'application/json' },
        body: (response) => void response.write('[{"id":6},', onHang),
      };
    });
    try {
      const config = {
        api: { baseUrl: `${api.origin}/`, pagination: { method: 'pagenum' } },
        config: { jobs: [{ endpoint: 'users' }] },
      };
      const file = join(folder, 'config.json');
      await writeFile(file, JSON.stringify(config));
      await ownCommand(['run', file, '--to', 'null:', '--record', path], {
        onStart: (signal) => void hangs.then(() => signal('SIGKILL')),
      });
      const whole = await commandHere(['run', file, '--to', 'stdout:', '--replay', path, '--max-pages', '1']);
      assert.equal([whole.exit, whole.stdout.split('\n').length], [0, 6], whole.stderr);
      const { exit, stderr } = await commandHere(['run', file, '--to', 'null:', '--replay', path]);
      assert.is(exit, 1);
      assert.match(stderr, /the recorded run ended (?:before|within) this response: .*page=2/);
    } finally {
      await api.close();
    }
  }));

test.run();
