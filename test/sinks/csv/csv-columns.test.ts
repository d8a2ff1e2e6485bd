/** The columns of a table, asked for one by one. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createColumns } from '../../../sinks/csv/csv-columns.js';

test('a column that the table does not have has neither a value nor a name', () => {
  const columns = createColumns('users', false);
  assert.is(columns.start(1000), -1);
  assert.is(columns.valueAfterName(0, Buffer.from('"a":1'), 0), -1);
});

test('a column within an object is not found by its name alone', () => {
  const columns = createColumns('users', true);
  const source = Buffer.from('{"a":{"b":1},"c":2}');
  columns.read(source, 0);
  assert.equal(columns.names(), ['a.b', 'c']);
  assert.equal([columns.start(0), columns.start(1)], [10, 17]);
  assert.is(columns.valueAfterName(0, source, 6), -1);
  assert.is(columns.valueAfterName(1, source, 13), 17);
});

test('restored columns keep their places, also those within objects', () => {
  const columns = createColumns('users', true);
  columns.restore(['c', 'a.b']);
  columns.read(Buffer.from('{"a":{"b":1,"d":3},"c":2}'), 0);
  assert.equal(columns.names(), ['c', 'a.b', 'a.d']);
  assert.equal([columns.start(0), columns.start(1), columns.start(2)], [23, 10, 16]);
});

test.run();
