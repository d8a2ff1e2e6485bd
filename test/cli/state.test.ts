/** `rxtract state` over folders that runs have left. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ndjson } from '../../sinks/index.js';
import { stateFolder } from '../../src/checkpoint/store/folder-store.js';
import { rxtract } from '../../src/cli/main-command.js';
import { run } from '../../src/run/extract.js';
import { type RowsApi, rowsApi, rowsConfiguration } from '../run/rows-api.js';
import { inFolder } from '../sinks/lib.js';
import { fakeShell } from './fake-shell.js';

interface World {
  readonly api: RowsApi;
  readonly path: string;
  pull(): Promise<readonly string[]>;
  state(...args: readonly string[]): Promise<{ readonly exit: number; readonly out: string; readonly err: string }>;
}

const onState = (use: (world: World) => Promise<void>) =>
  inFolder(async (dir) => {
    const api = await rowsApi();
    const path = join(dir, 'st');
    const world: World = {
      api,
      path,
      async pull() {
        await run(rowsConfiguration(api.origin, {}), { to: ndjson(join(dir, 'out')), store: stateFolder(path) });
        return api.takeTargets();
      },
      async state(...args) {
        const shell = fakeShell();
        const exit = await rxtract(['state', ...args], shell);
        return { exit, out: shell.out(), err: shell.err() };
      },
    };
    try {
      await use(world);
    } finally {
      await api.close();
    }
  });

test(
  'shows what is remembered, for people and for programs',
  onState(async ({ api, path, pull, state }) => {
    assert.match((await state('show', path)).err, 'there is no state');
    api.rows = [1, 2, 3].map((id) => ({ id, updated: 100 + id }));
    await pull();
    const shown = await state('show', path);
    assert.match(shown.out, /^job +value +recent items +last run\nrows +103 +1 +\d{4}-\d\d-\d\dT/);
    const [value] = JSON.parse((await state('show', path, '--json')).out);
    assert.equal([value.job, value.value, value.recent], ['rows', '103', 1]);
  }),
);

test(
  'a value that was set is where the next run begins; a reset job begins anew',
  onState(async ({ api, path, pull, state }) => {
    api.rows = [1, 2, 3].map((id) => ({ id, updated: 100 + id }));
    await pull();
    assert.is((await state('set', path, 'rows', '102')).exit, 0);
    assert.is((await pull())[0], '/rows?since=102&page=1&limit=2');
    assert.match((await state('show', path)).out, '103');
    assert.is((await state('reset', path, 'rows')).out, 'nothing is remembered\n');
    assert.is((await pull())[0], '/rows?page=1&limit=2');
    await state('reset', path);
    assert.is((await pull())[0], '/rows?page=1&limit=2');
  }),
);

test(
  'a job whose runs have found nothing gets a first value, and so does one that was reset',
  onState(async ({ api, path, pull, state }) => {
    api.rows = [];
    await pull();
    assert.is((await state('set', path, 'rows', '102')).exit, 0);
    api.rows = [1, 2, 3].map((id) => ({ id, updated: 100 + id }));
    assert.is((await pull())[0], '/rows?since=102&page=1&limit=2');
    await state('reset', path, 'rows');
    await state('set', path, 'rows', '101');
    assert.is((await pull())[0], '/rows?since=101&page=1&limit=2');
  }),
);

const wrong = [
  { args: ['set', 'ST', 'row', '1'], says: 'did you mean "rows"?' },
  { args: ['set', 'ST', 'rows', 'soon'], says: '"soon" is no value of the same kind as 103' },
  { args: ['set', 'ST', 'rows'], says: 'needs a job and a value' },
  { args: ['set', 'ST', 'rows', '1', '--parent', '7'], says: 'has no parent: leave out --parent' },
  { args: ['show'], says: 'needs the path of a state' },
  { args: ['drop', 'ST'], says: 'needs an action' },
  { args: ['resett', 'ST'], says: 'did you mean "reset"?' },
  { args: ['reset', 'ST', 'rows', 'x'], says: 'unexpected argument "x"' },
];

for (const { args, says } of wrong) {
  test(
    `state ${args.join(' ')} is refused, and changes nothing`,
    onState(async ({ api, path, pull, state }) => {
      api.rows = [1, 2, 3].map((id) => ({ id, updated: 100 + id }));
      await pull();
      const { exit, err } = await state(...args.map((each) => (each === 'ST' ? path : each)));
      assert.is(exit, 1);
      assert.match(err, says);
      assert.is((await pull())[0], '/rows?since=103&page=1&limit=2');
    }),
  );
}

test(
  'nothing changes while a run uses the state, or before an interrupted one has ended',
  onState(async ({ api, path, pull, state }) => {
    api.rows = [{ id: 1, updated: 101 }];
    await pull();
    const opened = await stateFolder(path).open();
    const used = await state('reset', path);
    assert.match(used.err, 'another run is using it');
    await opened.replace(opened.records.slice(0, 1));
    await opened.close();
    const left = await state('set', path, 'rows', '5');
    assert.match(left.err, 'was interrupted');
    assert.is(left.exit, 1);
  }),
);

test('a path that is no folder of a state is an error', () =>
  inFolder(async (dir) => {
    await mkdir(join(dir, 'a'));
    await writeFile(join(dir, 'file'), '');
    const shell = fakeShell();
    assert.is(await rxtract(['state', 'show', join(dir, 'file')], shell), 1);
    assert.match(shell.err(), 'is a file');
  })());

test.run();
