import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { duckdb } from '../../../sinks/duckdb/duckdb.js';
import { duckdbFault, duckdbReason } from '../../../sinks/duckdb/duckdb-errors.js';
import { folded, literalPath, nameFault, quoted } from '../../../sinks/duckdb/sql.js';
import { sinkFromUri } from '../../../sinks/registry.js';
import { rejection } from '../lib.js';

const faults: readonly (readonly [uri: string, message: RegExp])[] = [
  ['duckdb:', /^duckdb: needs a file, as in duckdb:out.db$/],
  ['duckdb::memory:', /^duckdb: expected a file, found ":memory:"/],
  ['duckdb:md:db', /^duckdb: expected a file, found "md:db"/],
  ['duckdb:a.db?mode=merge', /^duckdb: mode=merge needs key=..., such as key=id$/],
  ['duckdb:a.db?key=id', /^duckdb: key needs mode=merge, mirror or history$/],
  ['duckdb:a.db?mode=merge&key=a..b', /^duckdb: key: expected paths of members/],
  ['duckdb:a.db?mode=upsert', /^duckdb: mode: expected replace, append, merge, mirror or history, found "upsert"/],
  ['duckdb:a.db?colums=item', /colums.*did you mean "columns"/],
  ['duckdb:a.db?foreignKeys=true', /unknown option "foreignKeys": .*; only tables of postgres: can defer foreign keys/],
  ['duckdb:a.db?schema=%00', /^duckdb: "\\u0000" cannot be the name of a schema: it contains U\+0000$/],
  ['duckdb:a.db?schema=rxtract', /^duckdb: the schema "rxtract" is taken/],
];

for (const [uri, message] of faults) {
  test(`${uri} is no address`, async () => {
    await rejection(async () => sinkFromUri(uri), 'ERR_USAGE', message);
  });
}

test('the function has the options of the address, and others are errors', async () => {
  assert.is(duckdb({ file: 'out.db', mode: 'merge', key: 'a%2Cb,c', create: false }).name, 'duckdb:out.db');
  assert.is(sinkFromUri('duckdb:a%3Fb.db?create=false').name, 'duckdb:a?b.db');
  const wrong = { file: 'out.db', colums: 'item' };
  await rejection(async () => duckdb(wrong), 'ERR_USAGE', /colums/);
});

const reasons: readonly (readonly [message: string, reason: string])[] = [
  ['IO Error: Could not write file "x": No space left on device', 'the disk is full'],
  [
    'TransactionContext Error: Failed to commit: Could not write file "x.wal": File too large',
    'files of that size are not allowed',
  ],
  ['IO Error: Cannot open file "x": Permission denied', 'the file or its folder may not be written'],
  [
    'IO Error: Cannot open file "x": The process cannot access the file because it is being used by another process.',
    'another process has it open: DuckDB lets one process write. Close it there',
  ],
  [
    'IO Error: Trying to read a database file with version number 99, not 64.\nThe file was created ...',
    'the database was written by another version of DuckDB: Trying to read a database file with version number 99, not 64',
  ],
  ['Constraint Error: NOT NULL constraint failed: t.owner', 'the column "owner" needs a value, and an item has none'],
  ['Constraint Error: CHECK constraint failed on table t', 'an item breaks a CHECK constraint'],
  ["Conversion Error: Could not convert string 'secret' to INT32", 'a value does not fit the type of its column'],
  ['Out of Memory Error: failed to allocate', 'DuckDB needs more memory than the machine has for it'],
  ['Other Error: first\nsecond', 'Other Error: first'],
];

for (const [message, expected] of reasons) {
  test(`reason: ${expected}`, () => {
    assert.is(duckdbReason(new Error(message)), expected);
  });
}

test('what to do follows from the reason', () => {
  const remedyOf = (message: string) => duckdbFault(new Error(message)).remedy;
  assert.match(remedyOf('IO Error: Could not set lock on file') ?? '', /^Close the database in the other process/);
  assert.match(remedyOf('Constraint Error: CHECK constraint failed on table t') ?? '', /--on-item-error/);
  assert.is(remedyOf('Odd Error: x'), undefined);
});

test('a name is quoted, or said to be none of DuckDB', () => {
  assert.is(quoted('a"b', 'table'), '"a""b"');
  assert.equal(['', 'a\0', 'a\ud800', 'ok'].map(nameFault), [
    'it is empty',
    'it contains U+0000',
    'it contains half a surrogate pair',
    undefined,
  ]);
  assert.throws(() => quoted('', 'column'), /^duckdb: "" cannot be the name of a column: it is empty$/);
  assert.equal([folded('ÄBc'), literalPath("it's[1]*.csv")], ['Äbc', "'it''s[[]1][*].csv'"]);
});

test('what DuckDB does not explain is the first line of its message', () => {
  assert.is(duckdbReason(new Error('Odd Error: x\nLINE 1: SELECT')), 'Odd Error: x');
  assert.is(duckdbReason('a text'), 'a text');
});

test.run();
