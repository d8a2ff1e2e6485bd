/** Items that a page repeats from the one before it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exact } from '../../../src/core/json/exact.js';
import type { Slab } from '../../../src/page/scanner/scanner.js';
import { skipRepeated } from '../../../src/page/stages/skip.js';
import { keyset } from '../../../src/pagination/keyset.js';
import { itemsOf, made } from '../../pagination/walk.js';
import { stageOf } from '../lib.js';

const slab = (...values: readonly number[]): Slab => itemsOf(values.map((v) => ({ v })));
const scroller = made(keyset, { field: 'v', param: 'after', inclusive: true });
const after = (...values: readonly number[]) => scroller.fold?.(undefined, slab(...values));

const stage = (memo: Exact | undefined) => stageOf(skipRepeated(scroller), { memo });
const taken = ({ count, bytes }: { count: number; bytes: number }) => ({ count, bytes });

test('skips items with the earlier key, across slabs, and none after another item', async () => {
  const { written, write, report } = stage(after(1, 7, 7, 7));
  for (const each of [slab(7, 7), slab(7, 8, 7), slab(7)]) await write(each);
  assert.equal(written, ['{"v":8}\n{"v":7}\n', '{"v":7}\n']);
  assert.equal(taken(report(6, 48)), { count: 3, bytes: 24 });
});

test('another item with the key is a new one', async () => {
  const { written, write } = stage(after(6, 7));
  for (const each of [slab(7), slab(7, 7)]) await write(each);
  assert.equal(written, ['{"v":7}\n{"v":7}\n']);
});

test('a rolled back page starts anew', async () => {
  const { written, write, rollback, report } = stage(after(7));
  await write(slab(7, 8));
  await rollback();
  assert.equal(taken(report()), { count: 0, bytes: 0 });
  await write(slab(7, 9));
  assert.equal(written, ['{"v":9}\n']);
  assert.equal(taken(report(2, 16)), { count: 1, bytes: 8 });
});

test('a first page stays as it is, and a walk of another method has no such stage', async () => {
  const { written, write } = stage(undefined);
  await write(slab(7, 7));
  assert.is(written.length, 1);
  assert.is(skipRepeated({}), undefined);
});

test.run();
