import { mkdirSync, writeFileSync } from 'node:fs';
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

for (const state of ['{}', '[]', '{"time":{"previousStart":1700000000}}', '{"time":{"previousStart":""}}']) {
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
