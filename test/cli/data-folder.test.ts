import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { memory } from '../../sinks/memory.js';
import { parseArguments } from '../../src/cli/arguments.js';
import { openDataFolder, removingPartials } from '../../src/cli/data-folder.js';
import { runFlags } from '../../src/cli/run-flags.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Notice } from '../../src/core/model/notice.js';
import { filesIn, inFolder, rejection } from '../sinks/lib.js';
import { fakeShell } from './fake-shell.js';

test(
  'leaves nothing of a failed run, even if the sink reports a failure when it is aborted',
  inFolder(async (dir) => {
    const name = join(dir, 'users.ndjson.partial');
    writeFileSync(name, '1\n');
    const sink = removingPartials({
      ...memory(),
      abort: () => Promise.reject(new ExtractError('ERR_SINK', 'cannot write')),
      summary: () => [{ dataType: 'users', name, items: 1, bytes: 2, unfinished: true }],
    });
    await rejection(sink.abort(new Error('so')), 'ERR_SINK', /cannot write/);
    assert.equal(filesIn(dir), {});
    assert.equal(sink.summary?.(), []);
  }),
);

/** Opens a data folder whose state is this text; returns what is reported. */
async function opened(dir: string, state: string, ...options: readonly string[]) {
  mkdirSync(join(dir, 'in'));
  writeFileSync(join(dir, 'in', 'state.json'), state);
  const config = { parameters: { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'users' }] } } };
  writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
  const notices: Notice[] = [];
  await openDataFolder(dir, parseArguments(options, runFlags), fakeShell(), {
    notice: (each) => notices.push(each),
    secretsIn: (create) => create(),
  });
  return notices.filter(({ code }) => code.endsWith('state')).map(({ level, message }) => `${level}: ${message}`);
}

for (const state of [
  '{}',
  '[]',
  '{"time":{}}',
  '{"time":5}',
  '{"time":{"previousStart":1700000000}}',
  '{"time":{"previousStart":""}}',
]) {
  test(
    `takes ${state} for a state`,
    inFolder(async (dir) => assert.equal(await opened(dir, state), [])),
  );
}

const brokenStates: readonly (readonly [state: string, reason: RegExp])[] = [
  ['"x"', /expected an object/],
  ['[1]', /expected an object/],
  ['{', /no state: /],
  ['{"time":{"previousStart":"soon"}}', /expected a Unix time at "time.previousStart"/],
];
for (const [state, reason] of brokenStates) {
  test(
    `a run starts like a first run if its state is ${state}, with a warning`,
    inFolder(async (dir) => {
      const [notice, ...others] = await opened(dir, state);
      assert.equal(others, []);
      assert.match(notice ?? '', /^warning: .*state\.json: .*starts without a state/);
      assert.match(notice ?? '', reason);
    }),
  );
}

const config = { parameters: { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'users' }] } } };
const quiet = { notice: () => {}, secretsIn: <T>(create: () => T) => create() };
const openIn = (dir: string, ...options: readonly string[]) =>
  openDataFolder(dir, parseArguments(options, runFlags), fakeShell(), quiet);

test(
  'a state that cannot be read is a warning too',
  inFolder(async (dir) => {
    mkdirSync(join(dir, 'in', 'state.json'), { recursive: true });
    writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
    const notices: Notice[] = [];
    const report = { ...quiet, notice: (each: Notice) => void notices.push(each) };
    await openDataFolder(dir, parseArguments([], runFlags), fakeShell(), report);
    assert.equal(
      notices.map(({ level, code }) => [level, code]),
      [['warning', 'broken-state']],
    );
    assert.match(notices[0]?.message ?? '', /state\.json: cannot be read: .*the run starts without a state/);
  }),
);

test(
  'a data folder takes neither another configuration nor another cache',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
    await rejection(openIn(dir, 'other.json'), 'ERR_USAGE', /has its own config\.json: remove "other\.json"/);
    await rejection(openIn(dir, '--cache-dir', 'c'), 'ERR_USAGE', /has its own cache folder: remove --cache-dir/);
    await rejection(openIn(dir, '--set', 'nowhere'), 'ERR_USAGE', /--set/);
  }),
);

test(
  'a configuration that is no JSON is a fault of the folder',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'config.json'), '{');
    await rejection(openIn(dir), 'ERR_DATA_FOLDER', /config\.json/);
  }),
);

test(
  'with --to the next state has no structures of tables, and unfinished files are removed',
  inFolder(async (dir) => {
    writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
    const source = await openIn(dir, '--to', `ndjson:${join(dir, 'out')}`);
    await source.save({ time: 1 }, { ran: true, jobs: [], outputs: [] });
    assert.is(readFileSync(join(dir, 'out', 'state.json'), 'utf8'), '{"time":1}\n');
    assert.equal(source.to.summary?.(), []);
    await source.to.abort(new Error('so'));
    assert.equal(source.to.summary?.(), []);
  }),
);

test(
  'a broken state is an error under --strict',
  inFolder(async (dir) => void (await rejection(opened(dir, '"x"', '--strict'), 'ERR_STRICT', /state\.json/))),
);

test(
  'a state that cannot replace what has its name is an error that names both',
  inFolder(async (dir) => {
    const config = { parameters: { api: { baseUrl: 'https://api.test/' }, config: { jobs: [{ endpoint: 'users' }] } } };
    writeFileSync(join(dir, 'config.json'), JSON.stringify(config));
    mkdirSync(join(dir, 'out', 'state.json', 'other'), { recursive: true });
    const { save } = await openDataFolder(dir, parseArguments([], runFlags), fakeShell(), {
      notice: () => {},
      secretsIn: (create) => create(),
    });
    const saved = Promise.resolve(save?.({}, { ran: true, jobs: [], outputs: [] }));
    await rejection(saved, 'ERR_SINK', /cannot rename ".*state\.json\.partial" to ".*state\.json"/);
  }),
);

test.run();
