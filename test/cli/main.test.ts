import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, items, json, startApi } from '../loopback/api.js';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const tsx = import.meta.resolve('tsx');

interface Scene {
  readonly directory: string;
  /** Resolves with the exit code; standard error is in `said`. */
  readonly run: (words: readonly string[], onStart?: (child: ChildProcess) => void) => Promise<number | null>;
  readonly said: () => string;
}

/** The real process over TypeScript sources, in a directory with `config.json` for a server on loopback. */
async function scene(answer: Answer, use: (scene: Scene) => Promise<void>, http: object = {}): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'rxtract-'));
  const server = await startApi(answer);
  let said = '';
  try {
    const api = { baseUrl: `${server.origin}/`, pagination: { method: 'pagenum' }, http };
    await writeFile(join(directory, 'config.json'), JSON.stringify({ api, config: { jobs: [{ endpoint: 'users' }] } }));
    const run: Scene['run'] = (words, onStart = () => {}) =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, ['--import', tsx, main, ...words], { cwd: directory, stdio: 'pipe' });
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          said += text;
        });
        child.on('close', resolve);
        onStart(child);
      });
    await use({ directory, run, said: () => said });
  } finally {
    await server.close();
    await rm(directory, { recursive: true });
  }
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test(`${signal} ends the request in flight; delivered items stay, unpublished; exit ${code}`, async () => {
    let child: ChildProcess | undefined;
    const answer: Answer = (_, index) => {
      if (index === 0) return json(items(1, 2));
      child?.kill(signal);
      return new Promise(() => {});
    };
    await scene(answer, async ({ run, directory, said }) => {
      const exit = await run(['run', 'config.json', '--log', 'json'], (started) => {
        child = started;
        child.stdout?.resume();
      });
      assert.is(exit, code, said());
      const last = JSON.parse(said().trimEnd().split('\n').at(-1) ?? '');
      assert.equal([last.event, last.exit, last.jobs[0].stop, last.jobs[0].items], ['summary', code, 'interrupted', 2]);
      assert.equal(await readdir(join(directory, 'out')), ['users.ndjson.partial']);
      assert.is(await readFile(join(directory, 'out', 'users.ndjson.partial'), 'utf8'), '{"id":1}\n{"id":2}\n');
    });
  });
}

test('a closed reader ends the run silently, exit 141', async () => {
  const answer: Answer = (_, index) => json(items(index * 20_000, 20_000));
  await scene(answer, async ({ run, said }) => {
    const exit = await run(['run', 'config.json', '--to', 'stdout:'], ({ stdout }) => {
      stdout?.once('data', () => stdout.destroy());
    });
    assert.is(exit, 141, said());
    assert.is(said(), '');
  });
});

test('a connection that the server keeps open does not hold the process', async () => {
  const answer: Answer = (_, index) => json(index === 0 ? items(1, 1) : []);
  await scene(answer, async ({ run, said }) => {
    assert.is(await run(['run', 'config.json', '--quiet']), 0, said());
    assert.is(said(), '');
  });
});

test('the longest time-outs work, and standard error has only JSON', async () => {
  const answer: Answer = (_, index) => json(index === 0 ? items(1, 1) : []);
  const http = { connectTimeout: 2_147_483, headersTimeout: 2_147_483, requestTimeout: 2_147_483 };
  await scene(
    answer,
    async ({ run, said }) => {
      assert.is(await run(['run', 'config.json', '--log', 'json']), 0, said());
      const events = said()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      assert.is(events.at(-1).event, 'summary');
      assert.not.ok(events.some(({ code }) => code === 'node-warning'));
    },
    http,
  );
});

test.run();
