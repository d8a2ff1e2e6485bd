/** What is folded and measured while a page streams by, and what is forgotten when the page is taken back. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Exact, ExactNumber } from '../../../src/core/json/exact.js';
import type { Items } from '../../../src/core/model/batch.js';
import type { PageWriter } from '../../../src/page/page-writer.js';
import { createAccumulator } from '../../../src/page/stages/accumulator.js';
import { slabOf } from '../lib.js';

/** Counts items. */
const fold = (memo: Exact | undefined, { count }: Items): Exact => new ExactNumber(String(Number(memo ?? 0) + count));

function recorder() {
  const calls: string[] = [];
  const page: PageWriter = {
    write: async ({ count }) => void calls.push(`write ${count}`),
    rollback: async () => void calls.push('rollback'),
    complete: () => void calls.push('complete'),
    end: () => void calls.push('end'),
  };
  return { calls, page };
}

test('folds what is written, from the memo of the page before', async () => {
  const { calls, page } = recorder();
  const tally = createAccumulator({ fold }, new ExactNumber('5'));
  const { write, end } = tally.transaction(page);
  await write(slabOf(1, 2));
  await write(slabOf(3));
  end();
  assert.is(String(tally.memo), '8');
  assert.equal(calls, ['write 2', 'write 1', 'end']);
});

test('forgets what is taken back', async () => {
  const { calls, page } = recorder();
  const tally = createAccumulator({ fold }, new ExactNumber('5'));
  const { write, rollback } = tally.transaction(page);
  await write(slabOf(1, 2));
  await rollback();
  assert.is(String(tally.memo), '5');
  await write(slabOf(3));
  assert.is(String(tally.memo), '6');
  assert.equal(calls, ['write 2', 'rollback', 'write 1']);
});

test('an item that cannot be folded does not reach the sink', async () => {
  const { calls, page } = recorder();
  const refuse = () => {
    throw new Error('no number');
  };
  const { write } = createAccumulator({ fold: refuse }, undefined).transaction(page);
  const error = await write(slabOf(1)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.is(String(error), 'Error: no number');
  assert.equal(calls, []);
});

test('measures the body where it is asked for', () => {
  const measured = createAccumulator({ volume: true }, undefined);
  for (const chunk of ['{"a" :', ' "x/é"}']) measured.add?.(Buffer.from(chunk));
  assert.is(measured.volume, '{"a":"x\\/\\u00e9"}'.length);
  const unmeasured = createAccumulator({}, undefined);
  assert.is(unmeasured.add, undefined);
  assert.is(unmeasured.volume, 0);
});

test('without a fold the transaction is left alone, and the memo stays', () => {
  const { page } = recorder();
  const tally = createAccumulator({}, 'memo');
  assert.is(tally.transaction(page), page);
  assert.is(tally.memo, 'memo');
});

test.run();
