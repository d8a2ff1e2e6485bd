/** Wrong command lines of `status`, `cancel`, `retry` and `sweep`, and their help: no server is needed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rxtract } from '../../../src/cli/main-command.js';
import { fakeShell } from '../fake-shell.js';

async function called(...words: readonly string[]) {
  const shell = fakeShell();
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
  [['status', 'postgres://host/db', '--jsn'], 'unknown option "--jsn"; did you mean "--json"?'],
];

for (const [words, message] of wrong) {
  test(`${words.join(' ')} is refused`, async () => {
    const { exit, err, out } = await called(...words);
    assert.is(exit, 1);
    assert.ok(err.includes(message), err);
    assert.is(out, '');
  });
}

for (const name of ['status', 'cancel', 'retry', 'sweep']) {
  test(`${name} has help with its address`, async () => {
    const { exit, out } = await called(name, '--help');
    assert.is(exit, 0);
    assert.ok(out.startsWith(`rxtract ${name} ADDRESS `), out);
    assert.match(out, `rxtract ${name} postgres://localhost/jobs`);
  });
}

test.run();
