import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PageWriter } from '../../../src/page/page-writer.js';
import type { Slab } from '../../../src/page/scanner/scanner.js';
import { createItemLimit } from '../../../src/page/stages/item-limit.js';
import { itemsOf } from '../../pagination/walk.js';

function recorder() {
  const written: string[] = [];
  const page: PageWriter = {
    async write(slab: Slab) {
      assert.is(slab.offsets.length, slab.count + 1);
      assert.is(slab.offsets.at(-1), slab.bytes.length);
      written.push(Buffer.from(slab.bytes).toString());
    },
    async rollback() {
      written.length = 0;
    },
    complete: () => {},
    end: () => {},
  };
  return { written, page };
}

const slab = (...values: readonly number[]): Slab => itemsOf(values.map((value) => ({ v: value })));

test('lets exactly as many items through as there is room for, over slabs', async () => {
  const { written, page } = recorder();
  const cut = createItemLimit(3);
  const inner = cut.transaction(page);
  for (const each of [slab(1, 2), slab(3, 4), slab(5)]) await inner.write(each);
  assert.equal(written, ['{"v":1}\n{"v":2}\n', '{"v":3}\n']);
  assert.equal(cut.dropped, { count: 2, bytes: 16 });
});

test('a page that is taken back begins anew', async () => {
  const { written, page } = recorder();
  const cut = createItemLimit(1);
  const inner = cut.transaction(page);
  await inner.write(slab(1, 2));
  await inner.rollback();
  assert.equal(cut.dropped, { count: 0, bytes: 0 });
  await inner.write(slab(3, 4));
  assert.equal(written, ['{"v":3}\n']);
});

test('a page that fits stays as it is', async () => {
  const { page } = recorder();
  assert.is(createItemLimit(Number.POSITIVE_INFINITY).transaction(page), page);
  const cut = createItemLimit(2);
  await cut.transaction(page).write(slab(1, 2));
  assert.equal(cut.dropped, { count: 0, bytes: 0 });
});

test.run();
