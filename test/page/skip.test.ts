/** Items that a page repeats from the one before it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { PageWriter } from '../../src/page/page-writer.js';
import type { Slab } from '../../src/page/scanner/scanner.js';
import { createSkip } from '../../src/page/skip.js';
import { keyset } from '../../src/pagination/keyset.js';
import { itemsOf } from '../pagination/walk.js';

function recorder() {
  const written: string[] = [];
  const page: PageWriter = {
    async write(slab: Slab) {
      assert.is(slab.offsets[0], 0);
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

const slab = (...values: readonly number[]): Slab => itemsOf(values.map((v) => ({ v })));
const scroller = keyset.create({ field: 'v', param: 'after', inclusive: true }, undefined);
const after = (...values: readonly number[]) => scroller.fold?.(undefined, slab(...values));

test('leaves out what had the key before, over slabs, and nothing behind another item', async () => {
  const { written, page } = recorder();
  const skip = createSkip(scroller, after(1, 7, 7, 7));
  const inner = skip.transaction(page);
  for (const each of [slab(7, 7), slab(7, 8, 7), slab(7)]) await inner.write(each);
  assert.equal(written, ['{"v":8}\n{"v":7}\n', '{"v":7}\n']);
  assert.equal(skip.dropped, { count: 3, bytes: 24 });
});

test('another item with the key is a new one', async () => {
  const { written, page } = recorder();
  const skip = createSkip(scroller, after(6, 7));
  for (const each of [slab(7), slab(7, 7)]) await skip.transaction(page).write(each);
  assert.equal(written, ['{"v":7}\n{"v":7}\n']);
});

test('a page that is taken back begins anew', async () => {
  const { written, page } = recorder();
  const skip = createSkip(scroller, after(7));
  const inner = skip.transaction(page);
  await inner.write(slab(7, 8));
  await inner.rollback();
  assert.equal(skip.dropped, { count: 0, bytes: 0 });
  await inner.write(slab(7, 9));
  assert.equal(written, ['{"v":9}\n']);
  assert.equal(skip.dropped, { count: 1, bytes: 8 });
});

test('a first page, and one of another method, stays as it is', () => {
  const { page } = recorder();
  assert.is(createSkip(scroller, undefined).transaction(page), page);
  assert.is(createSkip({}, after(7)).transaction(page), page);
});

test.run();
