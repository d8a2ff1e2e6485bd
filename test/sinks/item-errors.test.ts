/** Refused items: whether the run is asked, and what the error says when it is not. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { batchOf } from '../../sinks/batch.js';
import { createItemErrors } from '../../sinks/item-errors.js';
import { rejection } from './lib.js';

const batch = batchOf('users', [1, 2], { job: 'j', page: 3, offset: 10 });

test('without a handler the error names item, job and page, and keeps its cause', async () => {
  const errors = createItemErrors('table');
  errors.open(undefined);
  assert.not(errors.isHandled());
  const cause = new Error('the words of the server');
  const refused = { batch, index: 1, reason: 'is too large' };
  const caused = await rejection(errors.refuse({ ...refused, cause }), 'ERR_SINK', /^table: item 11 of the page/);
  assert.is(caused.cause, cause);
  assert.equal([caused.where.job, caused.where.page], ['j', 3]);
  assert.match(caused.where.remedy ?? '', /--on-item-error skip/);
  const plain = await rejection(errors.refuse(refused), 'ERR_SINK', /is too large/);
  assert.not('cause' in plain);
});

test('a handler gets the item, also after an opening that has none', async () => {
  const errors = createItemErrors('table');
  const seen: number[] = [];
  errors.open({ onItemError: async ({ index }) => void seen.push(index) });
  errors.open({});
  assert.ok(errors.isHandled());
  await errors.refuse({ batch, index: 1, reason: 'is too large' });
  assert.equal(seen, [1]);
});

test.run();
