/** `rxtract status`, `cancel`, `retry` and `sweep` at a board in a real PostgreSQL. */
import { test as run } from 'uvu';
import * as assert from 'uvu/assert';
import { type Board, mostFailures, type RunSpec } from '../../src/checkpoint/board/board.js';
import { boardAt } from '../../src/checkpoint/board/board-address.js';
import { format, textOf } from '../../src/checkpoint/records.js';
import { rxtract } from '../../src/cli/main-command.js';
import { version } from '../../src/core/util/version.js';
import { fakeShell } from '../cli/fake-shell.js';
import { postgresMissing } from '../support/servers.js';
import { testWhere } from '../where.js';
import { type Lent, withPostgres } from './postgres-lib.js';

const test = testWhere(postgresMissing);

interface World {
  readonly lent: Lent;
  readonly board: Board;
  submit(name: string, jobs?: number, of?: string): Promise<void>;
  /** Calls a command with the address of the board, and returns what it did. */
  call(command: string, ...words: readonly string[]): Promise<Called>;
}

interface Called {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

async function called(...words: readonly string[]): Promise<Called> {
  const shell = fakeShell();
  const exit = await rxtract(words, shell);
  return { exit, out: shell.out(), err: shell.err() };
}

const onBoard = (use: (world: World) => Promise<void>) => () =>
  withPostgres(async (lent) => {
    const board = boardAt(lent.uri(), { env: {} });
    try {
      await use({
        lent,
        board,
        submit: (name, jobs = 1, of = version) => board.submit(specOf(name, jobs, of)),
        call: (command, ...words) => called(command, lent.uri(), ...words),
      });
    } finally {
      board.end();
    }
  });

const specOf = (name: string, jobs: number, of: string): RunSpec => ({
  name,
  begin: { type: 'begin', format, version: of, run: `run of ${name}`, epoch: 0, sinks: [], startedAt: 5, marks: {} },
  jobs: Array.from({ length: jobs }, (_, job) => ({ job, children: 0 })),
  block: 2,
  work: '{}',
});

/** Takes a task and ends it. */
async function finish(board: Board, name: string): Promise<void> {
  const lease = await board.take('host-1');
  assert.is(lease?.run, name);
  if (lease === undefined) return;
  const spec = await board.find(name);
  assert.ok(spec);
  const store = await board.open(lease, spec).open();
  await store.replace([textOf(spec.begin), textOf({ type: 'done', outputs: '[]' })]);
  await store.close();
}

/** Ends a run with one job: the task of the job, then the one that publishes. */
async function finishAll(board: Board, name: string): Promise<void> {
  await finish(board, name);
  await finish(board, name);
}

test(
  'status shows all runs, and of one its workers and errors',
  onBoard(async ({ lent, board, submit, call }) => {
    assert.is((await call('status')).out, 'there are no runs\n');
    await submit('nightly', 4);
    await submit('orders');
    await finish(board, 'nightly');
    await board.take('host-1');
    const failing = await board.take('host-2');
    assert.ok(failing);
    await board.giveBack(failing, { error: 'ERR_STATUS: the API answered\nwith 500', delay: 0 });
    await board.take('host-2');
    const all = await call('status');
    assert.is(all.exit, 0, all.err);
    const [head = '', nightly = '', orders = ''] = all.out.split('\n');
    assert.match(head, /^run +state +tasks +done +at work +ready +failed +submitted$/);
    assert.match(nightly, /^nightly +running +5 +1 +2 +2 +0 +20\d\d-\d\d-\d\dT[\d:.]+Z$/);
    assert.match(orders, /^orders +running +2 +0 +0 +2 +0 +20/);
    const one = (await call('status', 'nightly')).out;
    assert.not.match(one, 'orders');
    assert.match(
      one,
      /\n\nworker +tasks\nhost-1 +1\nhost-2 +1\n\ntask +last error\nJ2 +ERR_STATUS: the API answered with 500\n$/,
    );
    const listed = JSON.parse((await call('status', '--json')).out);
    const [submitted] = await lent.sql(
      `SELECT to_char(submitted AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at FROM rxtract.runs WHERE name = 'nightly'`,
    );
    assert.equal(listed[0], {
      name: 'nightly',
      state: 'running',
      version,
      submitted: submitted?.at,
      tasks: { ready: 2, leased: 2, done: 1, failed: 0 },
      workers: [
        { name: 'host-1', tasks: 1 },
        { name: 'host-2', tasks: 1 },
      ],
    });
    const shown = JSON.parse((await call('status', 'nightly', '--json')).out);
    assert.equal(shown.errors, [{ task: 'J2', error: 'ERR_STATUS: the API answered\nwith 500' }]);
  }),
);

test(
  'a name that no run has is an error with the nearest one, and a missing name lists them',
  onBoard(async ({ submit, call }) => {
    assert.match((await call('cancel')).err, 'cancel needs the name of a run: there are no runs');
    await submit('nightly');
    await submit('orders');
    for (const command of ['status', 'cancel', 'retry', 'sweep']) {
      const { exit, err } = await call(command, 'nigthly');
      assert.is(exit, 1);
      assert.match(err, 'there is no run "nigthly"; did you mean "nightly"?');
    }
    for (const command of ['cancel', 'retry']) {
      const { exit, err } = await call(command);
      assert.is(exit, 1);
      assert.match(err, `${command} needs the name of a run: the runs are nightly, orders`);
    }
  }),
);

test(
  'cancel ends a run, retry continues it, and neither changes one that is done',
  onBoard(async ({ board, submit, call }) => {
    await submit('nightly');
    const lease = await board.take('host-1');
    assert.ok(lease);
    const cancelled = await call('cancel', 'nightly');
    assert.is(cancelled.exit, 0, cancelled.err);
    assert.match(cancelled.out, /nightly +cancelled/);
    assert.is(await board.beat(lease), false);
    assert.is(await board.take('host-1'), undefined);
    const retried = await call('retry', 'nightly', '--json');
    assert.is(JSON.parse(retried.out).state, 'running');
    await finishAll(board, 'nightly');
    for (const command of ['cancel', 'retry']) {
      const { exit, err } = await call(command, 'nightly');
      assert.is(exit, 1);
      assert.match(err, `the run "nightly" is done: there is nothing to ${command}`);
    }
    assert.match((await call('status')).out, /nightly +done/);
  }),
);

test(
  'retry lets failed tasks be taken again',
  onBoard(async ({ board, submit, call }) => {
    await submit('nightly');
    for (let attempt = 0; attempt < mostFailures; attempt += 1) {
      const lease = await board.take('host-1');
      assert.ok(lease);
      await board.giveBack(lease, { error: 'fault', delay: 0 });
    }
    assert.match((await call('status', 'nightly')).out, /nightly +failed +2 +0 +0 +1 +1 /);
    assert.match((await call('retry', 'nightly')).out, /nightly +running +2 +0 +0 +2 +0 /);
    await finishAll(board, 'nightly');
  }),
);

test(
  'sweep removes runs that have ended, by age or by name',
  onBoard(async ({ lent, board, submit, call }) => {
    for (const name of ['old', 'new']) {
      await submit(name);
      await finishAll(board, name);
    }
    await submit('running');
    await lent.sql(`UPDATE rxtract.runs SET submitted = submitted - interval '8 days' WHERE name <> 'new'`);
    assert.is((await call('sweep', '--older', '9d')).out, 'no run was removed\n');
    assert.is((await call('sweep')).out, 'removed old\n');
    const { exit, err } = await call('sweep', 'running');
    assert.is(exit, 1);
    assert.match(err, 'the run "running" is running: `rxtract cancel` ends it');
    assert.equal(JSON.parse((await call('sweep', 'new', '--json')).out), ['new']);
    assert.equal(
      (await board.runs()).map(({ name }) => name),
      ['running'],
    );
  }),
);

test(
  'a run of another version says which workers it waits for',
  onBoard(async ({ submit, call }) => {
    for (const name of ['one', 'two']) await submit(name, 1, '0.0.0');
    await submit('three', 1, '0.0.1');
    const { out } = await call('status');
    assert.match(out, `\n\n2 runs need workers of rxtract 0.0.0 (this is ${version}): one, two\n`);
    assert.match(out, `\n\n1 run needs workers of rxtract 0.0.1 (this is ${version}): three\n`);
  }),
);

test(
  'a password in the address shows nowhere, and its place is warned of',
  onBoard(async ({ lent: { server } }) => {
    await server.kill();
    const address = `postgres://rx:open-sesame@127.0.0.1:${server.port}/postgres`;
    for (const command of ['status', 'cancel', 'retry', 'sweep']) {
      const { exit, err, out } = await called(command, address, '--log', 'json');
      assert.is(exit, 1);
      assert.match(err, /"code":"ERR_STATE".*cannot connect to/);
      assert.match(err, 'password-in-arguments');
      assert.not.match(err + out, 'open-sesame');
    }
  }),
);

test(
  'sweep names the parts of runs that were not published, and of no other',
  onBoard(async ({ board, call }) => {
    const work = (to: string | readonly string[]) => JSON.stringify({ format: 1, configuration: {}, options: { to } });
    const submit = (name: string, text: string) => board.submit({ ...specOf(name, 1, version), work: text });
    await submit('published', work('parts:/p'));
    await finishAll(board, 'published');
    await submit('tables', work('null:'));
    await submit('folder', work(['a=parts:/p?gather=csv:/out', 'parts+s3://KEY:secret@lake/raw?region=r', 'null:']));
    await submit('unreadable', '{}');
    for (const name of ['tables', 'folder', 'unreadable']) await board.cancel(name);
    const { out, err } = await call('sweep', '--older', '0');
    assert.is(out.trim().split('\n').length, 4);
    assert.match(
      err,
      'the parts of the run "folder", which was not published, stay: parts:/p/run_of_folder, parts+s3://***@lake/raw/run_of_folder',
    );
    assert.is(err.trim().split('\n').length, 1, err);
  }),
);

run.run();
