/** Wrong command lines of `worker`, `run --on` and what else is at a board, and their help: no server is needed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../../src/cli/main-command.js';
import { fakeShell } from '../fake-shell.js';

const configuration = JSON.stringify({
  api: { baseUrl: 'http://localhost:1/' },
  config: { jobs: [{ endpoint: 'users' }] },
});

async function called(...words: readonly string[]) {
  const shell = fakeShell({ stdin: configuration });
  const exit = await rxtract(words, shell);
  return { exit, out: shell.out(), err: shell.err() };
}

const wrong: readonly (readonly [words: readonly string[], message: string])[] = [
  [['status'], 'status needs the address of a board, postgres://HOST/DB'],
  [['cancel', 'mysql://host/db', 'x'], 'a board is postgres://HOST/DB, found "mysql://host/db"'],
  [['cancel', 'postgre://me:secret@host/db', 'x'], 'found "postgre://***@host/db"; did you mean "postgres"?'],
  [['retry', 'jobs', 'x'], 'a board is postgres://HOST/DB, found "jobs"'],
  [['status', 'postgres://host'], 'postgres: expected the name of the database, as in postgres://localhost:5432/db'],
  [['status', 'postgres://host/db?schema=x'], 'unknown option "schema"'],
  [['sweep', 'postgres://host/db', 'a', 'b'], 'unexpected argument "b" after "sweep ADDRESS [NAME]"'],
  [['sweep', 'postgres://host/db', '--older', 'long'], '--older is a time such as 90s, 10m or 1h30m, found "long"'],
  [['worker'], 'worker needs the address of a board, postgres://HOST/DB'],
  [['worker', 'postgres://host/db', 'x'], 'unexpected argument "x" after "worker ADDRESS"'],
  [['worker', 'redis://host/0'], 'a board is postgres://HOST/DB, found "redis://host/0"'],
  [['worker', 'postgres://host/db', '--slots', '0'], '--slots is a whole number from 1 to 1000, found "0"'],
  [['run', '-', '--workers', '2'], '--workers needs --on ADDRESS'],
  [['run', '-', '--detach'], '--detach needs --on ADDRESS'],
  [['run', '-', '--on', 'jobs'], 'a board is postgres://HOST/DB, found "jobs"'],
  [
    ['run', '-', '--on', 'postgres://h/db', '--state', 'postgres://me:secret@h/db?state=st'],
    '--state is the name of a state at the board, such as "orders", and not a folder or an address: found "postgres://***@h/db',
  ],
  [['run', '-', '--on', 'postgres://h/db', '--data-dir', 'd'], '--on and --data-dir exclude each other'],
  [['run', '-', '--on', 'postgres://h/db', '--detach', '--workers', '2'], '--detach and --workers exclude each other'],
  [['run', '-', '--on', 'postgres://h/db'], 'ndjson:out: not in a run that many processes share'],
  [
    ['run', '-', '--on', 'postgres://h/db', '--to', 'null:', '--max-items', '5'],
    '--max-items: not in a run that many processes share: no process knows the total',
  ],
  [['run', '-', '--on', 'postgres://h/db', '--to', 'redis:x'], 'redis: needs the option stream=...'],
  [['status', 'postgres://host/db', '--jsn'], 'unknown option "--jsn"; did you mean "--json"?'],
];

test('all flags that belong to one process are refused at once, each with its reason', async () => {
  const flags = ['--resume', '--record', 'r', '--report', 'r.html', '--certificate', 'c.json', '--max-pages', '3'];
  const { exit, err } = await called(
    'run',
    '-',
    '--on',
    'postgres://h/db',
    '--drain',
    '3',
    '--to',
    'stdout:',
    ...flags,
  );
  assert.is(exit, 1);
  const refused = [...err.matchAll(/(\S+): not in a run that many processes share: /g)].map(([, name]) => name);
  assert.equal(refused, [
    ...['--resume', '--drain', '--record', '--report', '--certificate', '--max-pages', 'stdout:'],
  ]);
  assert.match(err, '`rxtract retry` continues one that has failed');
  assert.match(err, '--certificate: not in a run that many processes share: no process has the pages of all');
});

for (const [words, message] of wrong) {
  test(`${words.join(' ')} is refused`, async () => {
    const { exit, err, out } = await called(...words);
    assert.is(exit, 1);
    assert.ok(err.includes(message), err);
    assert.is(out, '');
  });
}

for (const name of ['worker', 'status', 'cancel', 'retry', 'sweep']) {
  test(`${name} has help with its address`, async () => {
    const { exit, out } = await called(name, '--help');
    assert.is(exit, 0);
    assert.ok(out.startsWith(`rxtract ${name} ADDRESS `), out);
    assert.match(out, `rxtract ${name} postgres://localhost/jobs`);
  });
}

test.run();
