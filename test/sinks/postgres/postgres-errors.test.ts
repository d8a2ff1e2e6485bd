/** What errors of a PostgreSQL server become: reasons, places, and no value of an item. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isBroken } from '../../../sinks/postgres/postgres-client.js';
import { isItemFault, lineOf, postgresError, postgresReason } from '../../../sinks/postgres/postgres-errors.js';
import { ExtractError } from '../../../src/core/errors/errors.js';

const serverError = (code: string, more: object = {}) =>
  Object.assign(new Error('words of the server'), { severity: 'ERROR', code, ...more });

test('a full disk is named, with table, job and page', () => {
  const subject = { action: 'store a page', table: 'public.t', job: 'j', page: 4, offset: 10 };
  const error = postgresError(subject, serverError('53100', { where: 'COPY t, line 3' }));
  assert.is(
    error.message,
    'postgres: cannot store a page (table "public.t", item 12 of the page (from 0)): the disk of the server is full (words of the server, 53100)',
  );
  assert.equal([error.code, error.where], ['ERR_SINK', { job: 'j', page: 4 }]);
});

test('values of items are not repeated', () => {
  const where = 'JSON data, line 1: {"a": "secret\nCOPY t, line 2, column age: "secret, column x"';
  const error = postgresError({ action: 'a', offset: 0 }, serverError('22P02', { where }));
  assert.is(
    error.message,
    'postgres: cannot a (column "age", item 1 of the page (from 0)): the value is not valid for this type (22P02)',
  );
  assert.is(
    postgresReason(serverError('23505', { constraint: 'key' })),
    'an item with this value is there already (23505, "key")',
  );
  assert.is(postgresReason(serverError('42P01')), 'words of the server (42P01)');
});

test('what another process has created at the same time is no fault of an item, and is looked at again', () => {
  const inCatalog = { schema: 'pg_catalog', constraint: 'pg_type_typname_nsp_index' };
  for (const error of [
    serverError('23505', inCatalog),
    serverError('42710', { routine: 'TypeCreate' }),
    ...['42P06', '42P07', '42701'].map((code) => serverError(code)),
  ]) {
    assert.equal([isItemFault(error), isBroken(error)], [false, true]);
    assert.is(
      postgresReason(error),
      `another process has created it meanwhile (words of the server, ${'code' in error ? error.code : ''})`,
    );
  }
  const ofTable = serverError('23505', { schema: 'public', constraint: 't_pkey' });
  assert.equal([isItemFault(ofTable), isBroken(ofTable)], [true, false]);
  assert.is(isBroken(serverError('42710', { routine: 'ATExecAddConstraint' })), false);
});

test('other failures keep their words', () => {
  assert.is(postgresReason('text'), 'text');
  assert.is(postgresReason(new Error('one')), 'one');
  assert.is(postgresReason(new AggregateError([new Error('first')])), 'first');
  const known = new ExtractError('ERR_RESUME', 'x');
  assert.is(postgresError({ action: 'a' }, known), known);
});

test('an error says of its place what is known', () => {
  const named = serverError('22P02', { column: 'age', where: 'COPY t, line 2' });
  const reason = 'the value is not valid for this type (22P02)';
  assert.is(postgresError({ action: 'a' }, named).message, `postgres: cannot a (column "age"): ${reason}`);
  assert.is(postgresError({ action: 'a', offset: 0 }, serverError('22P02')).message, `postgres: cannot a: ${reason}`);
  const lost = postgresError({ action: 'a', table: 't', job: 'j' }, new AggregateError([new Error('first')]));
  assert.equal([lost.message, lost.where.job], ['postgres: cannot a (table "t"): first', 'j']);
  const known = postgresError({ action: 'a', job: 'j', page: 2 }, new ExtractError('ERR_RESUME', 'x'));
  assert.equal([known.code, known.message, known.where.job, known.where.page], ['ERR_RESUME', 'x', 'j', 2]);
});

test('the line of a row that is too wide is not that of its item, which is searched', () => {
  const where = 'COPY t, line 3';
  assert.equal([lineOf(serverError('22P02', { where })), lineOf(serverError('54000', { where }))], [3, undefined]);
  const wide = serverError('54000', { where });
  const reason = 'the value is larger than PostgreSQL allows (54000)';
  assert.is(postgresError({ action: 'a', offset: 0 }, wide).message, `postgres: cannot a: ${reason}`);
  const found = postgresError({ action: 'a', offset: 0, item: 1 }, wide);
  assert.is(found.message, `postgres: cannot a (item 1 of the page (from 0)): ${reason}`);
});

test('a lost connection, a deadlock and a server that starts are tried again', () => {
  for (const code of ['08006', '40P01', '40001', '57P01', '57P03', '53300', '25P03'])
    assert.ok(isBroken(serverError(code)));
  for (const code of ['42501', '22P02', '53100']) assert.not.ok(isBroken(serverError(code)));
  assert.ok(isBroken(new ExtractError('ERR_SINK', 'x', { cause: new Error('Connection terminated unexpectedly') })));
  assert.ok(isBroken(Object.assign(new Error('x'), { code: 'ECONNRESET' })));
  assert.not.ok(isBroken(new ExtractError('ERR_SINK', 'x')));
  assert.not.ok(isBroken(new Error('x')));
  assert.not.ok(isBroken('text'));
});

test.run();
