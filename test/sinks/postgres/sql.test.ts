/** Names and strings in statements: what PostgreSQL cannot hold is refused, the rest is quoted. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { literal, quoted } from '../../../sinks/postgres/sql.js';
import { rejection } from '../lib.js';

const faults: readonly [name: string, message: RegExp][] = [
  ['', /^postgres: "" cannot be the name of a column: it is empty$/],
  ['é'.repeat(32), /: it has 64 bytes, and 63 are allowed$/],
  ['a\0', /^postgres: "a\\u0000" cannot be the name of a column: it contains U\+0000$/],
  ['a\ud800', /: it contains half a surrogate pair$/],
];

for (const [name, message] of faults) {
  test(`refuses the name ${JSON.stringify(name)}`, async () => {
    await rejection(() => quoted(name, 'column'), 'ERR_SINK', message);
  });
}

test('a name is quoted as it is, a quote in it twice', () => {
  assert.is(quoted('a"; drop table b --', 'column'), '"a""; drop table b --"');
  assert.is(quoted(`é${'x'.repeat(61)}`, 'column'), `"é${'x'.repeat(61)}"`);
});

test('a string has its quotes twice, and backslashes whatever the server is set to', () => {
  assert.is(literal("it's"), "'it''s'");
  assert.is(literal("\\'"), "E'\\\\'''");
});

test.run();
