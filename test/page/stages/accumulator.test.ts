/** Folding and measuring while a page streams, and forgetting when the page is rolled back. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Exact, ExactNumber } from '../../../src/core/json/exact.js';
import type { Items } from '../../../src/core/model/batch.js';
import { foldItems, measureBody } from '../../../src/page/stages/accumulator.js';
import { slabOf, stageOf } from '../lib.js';

/** Counts items. */
const fold = (memo: Exact | undefined, { count }: Items): Exact => new ExactNumber(String(Number(memo ?? 0) + count));

test('folds written items, from the memo of the page before', async () => {
  const { calls, write, report } = stageOf(foldItems({ fold }), { memo: new ExactNumber('5') });
  await write(slabOf(1, 2));
  await write(slabOf(3));
  assert.is(String(report().memo), '8');
  assert.equal(calls, ['write 2', 'write 1']);
});

test('forgets rolled back items', async () => {
  const { calls, write, rollback, report } = stageOf(foldItems({ fold }), { memo: new ExactNumber('5') });
  await write(slabOf(1, 2));
  await rollback();
  assert.is(String(report().memo), '5');
  await write(slabOf(3));
  assert.is(String(report().memo), '6');
  assert.equal(calls, ['write 2', 'rollback', 'write 1']);
});

test('an item that cannot be folded does not reach the sink', () => {
  const refuse = () => {
    throw new Error('no number');
  };
  const { calls, write } = stageOf(foldItems({ fold: refuse }));
  assert.throws(() => write(slabOf(1)), /no number/);
  assert.equal(calls, []);
});

test('measures the body if requested', () => {
  const { see, report } = stageOf(measureBody({ volume: true }));
  for (const chunk of ['{"a" :', ' "x/é"}']) see(Buffer.from(chunk));
  assert.is(report().volume, '{"a":"x\\/\\u00e9"}'.length);
});

test('a walk that needs neither has no such stage', () => {
  assert.equal([foldItems({}), measureBody({})], [undefined, undefined]);
});

test.run();
