/** A run in a data folder that is interrupted and resumed, as a black box. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { items, json, type Reply, startApi } from '../loopback/api.js';
import { command, type Ended, filesIn, inTemporary, ownCommand } from './command.js';
import { lines } from './row.js';

const since = { from: { time: 'previousStart' }, to: { time: 'currentStart' } };
const withState = ['--state', 'state'];
const resuming = [...withState, '--resume'];
const before = '{"time":{"previousStart":1492606006}}';

interface Stage {
  readonly targets: readonly string[];
  readonly keep: (path: string, text: string) => Promise<void>;
  readonly remove: (path: string) => Promise<void>;
  readonly left: (folder: string) => Promise<Readonly<Record<string, string>>>;
  /**
   * Runs in the data folder; the process gets the signal when it makes its `killAt`th request, which is never answered.
   */
  readonly run: (words: readonly string[], killAt?: number, signal?: NodeJS.Signals) => Promise<Ended>;
}

/** Four pages of one item each, after `in/state.json`. */
function play(scene: (stage: Stage) => Promise<void>): Promise<void> {
  return inTemporary(async (directory) => {
    const targets: string[] = [];
    let left = Number.POSITIVE_INFINITY;
    let kill = () => {};
    const server = await startApi(({ target }): Reply => {
      targets.push(target);
      left -= 1;
      if (left === 0) return { body: () => kill() };
      const page = Number(new URL(target, 'http://x').searchParams.get('page'));
      return json(page > 4 ? [] : items(page, 1));
    });
    const api = { baseUrl: `${server.origin}/`, pagination: { method: 'pagenum' }, retryConfig: { maxRetries: 0 } };
    const config = { outputBucket: 'shop', jobs: [{ endpoint: 'users', dataType: 'users', params: since }] };
    const keep = async (path: string, text: string) => {
      await mkdir(join(directory, path, '..'), { recursive: true });
      await writeFile(join(directory, path), text);
    };
    await keep('config.json', JSON.stringify({ api, config }));
    await keep('in/state.json', before);
    try {
      await scene({
        targets,
        keep,
        remove: (path) => rm(join(directory, path), { recursive: true }),
        left: (folder) => filesIn(join(directory, folder)),
        run(words, killAt, name = 'SIGKILL') {
          left = killAt ?? Number.POSITIVE_INFINITY;
          const args = ['run', '--data-dir', directory, '--to', `ndjson:${join(directory, 'out', 'tables')}`, ...words];
          if (killAt === undefined) return command(args, { cwd: directory });
          const onStart = (signal: (name: NodeJS.Signals) => void) => {
            kill = () => signal(name);
          };
          return ownCommand(args, { cwd: directory, onStart });
        },
      });
    } finally {
      await server.close();
    }
  });
}

const startIn = (target: string | undefined) => new URL(target ?? '', 'http://x').searchParams.get('to');
const pageIn = (target: string) => Number(new URL(target, 'http://x').searchParams.get('page'));

for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
  test(`a run that ended by ${signal} can be resumed, with the output of an uninterrupted one`, () =>
    play(async ({ run, targets, left }) => {
      const broken = await run([...withState, '--drain', '0'], 3, signal);
      assert.is.not(broken.exit, 0);
      assert.equal(await left('out/tables'), { 'shop.users.ndjson.partial': lines(...items(1, 2)) });

      const { exit, stderr } = await run(resuming);
      assert.is(exit, 0, stderr);
      assert.equal(targets.map(pageIn), [1, 2, 3, 3, 4, 5]);
      assert.equal(await left('out/tables'), { 'shop.users.ndjson': lines(...items(1, 4)) });
      const start = startIn(targets[0]);
      assert.equal([...new Set(targets.map(startIn))], [start]);
      assert.equal(await left('out'), { 'state.json': `{"time":{"previousStart":${start}}}\n` });
    }));
}

test('a resume with another `in/state.json` is rejected, and nothing is changed', () =>
  play(async ({ run, targets, keep, left }) => {
    await run(withState, 3);
    await keep('in/state.json', '{"time":{"previousStart":1500000000}}');
    const { exit, stderr } = await run(resuming);
    assert.is(exit, 1, stderr);
    assert.match(stderr, /state[\s\S]*ERR_RESUME/);
    assert.is(targets.length, 3);
    assert.equal(await left('out/tables'), { 'shop.users.ndjson.partial': lines(...items(1, 2)) });
  }));

test('a complete run is followed by a new one, with the `in/state.json` that there is then', () =>
  play(async ({ run, targets, keep, left }) => {
    await run(withState, 3);
    const rest = await run(resuming);
    assert.is(rest.exit, 0, rest.stderr);
    const written = (await left('out'))['state.json'] ?? '';
    await keep('in/state.json', written);
    const { exit, stderr } = await run(resuming);
    assert.is(exit, 0, stderr);
    assert.equal(targets.slice(6).map(pageIn), [1, 2, 3, 4, 5]);
    const started = new URL(targets[6] ?? '', 'http://x').searchParams;
    assert.is(`{"time":{"previousStart":${started.get('from')}}}\n`, written, 'the window of the next run');
    assert.equal(await left('out/tables'), { 'shop.users.ndjson': lines(...items(1, 4)) });
  }));

test('if only the state for the next run could not be written, --resume-only writes it without a request', () =>
  play(async ({ run, targets, keep, remove, left }) => {
    await keep('out/state.json/in-the-way', '');
    const first = await run(withState);
    assert.is(first.exit, 1, first.stderr);
    assert.match(first.stderr, /rename .*state\.json/);
    await remove('out/state.json');

    const { exit, stderr } = await run([...withState, '--resume-only']);
    assert.is(exit, 0, stderr);
    assert.equal(targets.map(pageIn), [1, 2, 3, 4, 5]);
    assert.equal(await left('out/tables'), { 'shop.users.ndjson': lines(...items(1, 4)) });
    assert.equal(await left('out'), { 'state.json': `{"time":{"previousStart":${startIn(targets[0])}}}\n` });
  }));

test.run();
