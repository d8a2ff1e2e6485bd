/** The columns of a job while a page streams. append-members.test.ts tests the items. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExactObject, emptyObject, fromPlain, isObject } from '../../../src/core/json/exact.js';
import { addColumns } from '../../../src/page/stages/add-columns.js';
import { itemsOf } from '../../pagination/walk.js';
import { stageOf } from '../lib.js';

function columns(value: object): ExactObject {
  const made = fromPlain(value);
  return isObject(made) ? made : emptyObject;
}

test('items reach the sink with the columns, and the bytes that this took are added up', async () => {
  const { written, write, report } = stageOf(addColumns(columns({ run: 7 })));
  await write(itemsOf([{ a: 1 }, { a: 2 }]));
  await write(itemsOf([{ a: 3 }]));
  assert.equal(written, ['{"a":1,"run":7}\n{"a":2,"run":7}\n', '{"a":3,"run":7}\n']);
  assert.is(report(3, 24).bytes, 24 + 3 * ',"run":7'.length);
});

test('a rolled back page has added no bytes', async () => {
  const { write, rollback, report } = stageOf(addColumns(columns({ run: 7 })));
  await write(itemsOf([{ a: 1 }]));
  await rollback();
  assert.is(report().bytes, 0);
});

test('without a rollback the bytes stay counted', async () => {
  const { write, rollback, report } = stageOf(addColumns(columns({ run: 7 })), {}, new Error('no'));
  await write(itemsOf([{ a: 1 }]));
  assert.throws(rollback, /no/);
  assert.is(report(1, 8).bytes, 8 + ',"run":7'.length);
});

test('a job without columns has no such stage', () => {
  assert.equal([addColumns(emptyObject), addColumns(undefined)], [undefined, undefined]);
});

test.run();
