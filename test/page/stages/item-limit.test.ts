import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Slab } from '../../../src/page/scanner/scanner.js';
import { itemLimit } from '../../../src/page/stages/item-limit.js';
import { itemsOf } from '../../pagination/walk.js';
import { stageOf } from '../lib.js';

const slab = (...values: readonly number[]): Slab => itemsOf(values.map((value) => ({ v: value })));
const taken = ({ count, bytes, cut }: { count: number; bytes: number; cut: number }) => ({ count, bytes, cut });

test('lets exactly as many items through as there is room for, over slabs', async () => {
  const { written, write, report } = stageOf(itemLimit(), { room: 3 });
  for (const each of [slab(1, 2), slab(3, 4), slab(5)]) await write(each);
  assert.equal(written, ['{"v":1}\n{"v":2}\n', '{"v":3}\n']);
  assert.equal(taken(report(5, 40)), { count: 3, bytes: 24, cut: 2 });
});

test('a rolled back page starts anew', async () => {
  const { written, write, rollback, report } = stageOf(itemLimit(), { room: 1 });
  await write(slab(1, 2));
  await rollback();
  assert.equal(taken(report()), { count: 0, bytes: 0, cut: 0 });
  await write(slab(3, 4));
  assert.equal(written, ['{"v":3}\n']);
});

test('a page that fits stays as it is', async () => {
  const { write, report } = stageOf(itemLimit(), { room: 2 });
  await write(slab(1, 2));
  assert.equal(taken(report(2, 16)), { count: 2, bytes: 16, cut: 0 });
});

test.run();
