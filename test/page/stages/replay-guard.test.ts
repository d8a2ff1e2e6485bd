/**
 * A page that breaks off and is asked for again, where its sink can take nothing back: whatever the cut, items come
 * once.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sink } from '../../../sinks/contract.js';
import { asExtractError } from '../../../src/core/errors/errors.js';
import { sourceOf } from '../../../src/core/util/byte-source.js';
import { lend } from '../../../src/core/util/lent-memory.js';
import { type PageOptions, readPage } from '../../../src/page/read-page.js';
import { createReplayGuard, type ReplayGuard } from '../../../src/page/stages/replay-guard.js';
import { rejection } from '../../sinks/lib.js';
import { itemsOf, pageOptions, slabOf, writerOf } from '../lib.js';

const options: PageOptions = { ...pageOptions, batchBytes: 1 };

/** Takes everything, and cannot take anything back. */
function oneWay() {
  const items: unknown[] = [];
  const sink: Sink = { write: (batch) => void items.push(...itemsOf(batch)), close() {}, abort() {} };
  return { items, sink };
}

/** One attempt at a page whose body comes in pieces of so many bytes; with `cut`, it breaks there. */
function attempt(
  sink: Sink,
  delivered: ReplayGuard,
  text: string,
  { pieces = 1, cut = Number.POSITIVE_INFINITY } = {},
) {
  async function* body() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < Math.min(cut, bytes.length); at += pieces) {
      yield bytes.subarray(at, Math.min(at + pieces, cut));
    }
    if (cut < bytes.length) throw new Error('cut');
  }
  return readPage(sourceOf(body()), writerOf({ sink, delivered }), options);
}

const text = '{"n": 4, "rows": [{"id": 1}, "žluťoučký", [2, 3], {"id": 4}], "next": "c1"}';
const items: readonly unknown[] = JSON.parse(text).rows;

for (const pieces of [1, 7, 1000]) {
  test(`a body cut at any byte is skipped as far as it was delivered, then continues, read in pieces of ${pieces}`, async () => {
    const length = Buffer.byteLength(text);
    for (let cut = 0; cut < length; cut += 1) {
      const { items: got, sink } = oneWay();
      const delivered = createReplayGuard();
      await attempt(sink, delivered, text, { cut }).catch(() => undefined);
      assert.equal(got, items.slice(0, delivered.count), `cut at ${cut}`);
      await attempt(sink, delivered, text, { cut: length - 1, pieces }).catch(() => undefined);
      const { count } = await attempt(sink, delivered, text, { pieces });
      assert.equal([got, count], [items, items.length], `cut at ${cut}`);
    }
  });
}

const others: readonly (readonly [what: string, text: string])[] = [
  ['another item', '[1, 2, 4, 5]'],
  ['an item that is written otherwise', '[1, 2, 3.0, 4]'],
  ['its items in another order', '[2, 1, 3, 4]'],
  ['an item more at its start', '[0, 1, 2, 3, 4]'],
  ['fewer items', '[1, 2]'],
  ['no items', '[]'],
  ['no body', ' '],
];

for (const [what, again] of others) {
  test(`fails if the page is repeated with ${what}, and reports that items stay`, async () => {
    const { items: got, sink } = oneWay();
    const delivered = createReplayGuard();
    await attempt(sink, delivered, '[1, 2, 3, 4, 5]', { cut: 9 }).catch(() => undefined);
    assert.equal(got, [1, 2, 3]);
    const error = await rejection(attempt(sink, delivered, again), 'ERR_PAGE_CHANGED', /the first 3 items differ/);
    assert.is(error.where.kept, true);
    assert.equal(got, [1, 2, 3], 'nothing was delivered any more');
  });
}

test('an attempt that breaks before it has skipped the delivered part reports that items stay', async () => {
  const { sink } = oneWay();
  const delivered = createReplayGuard();
  await attempt(sink, delivered, '[1, 2, 3]', { cut: 7 }).catch(() => undefined);
  const thrown = await attempt(sink, delivered, '[1, 2, 3]', { cut: 2 }).catch(asExtractError);
  assert.is('where' in thrown && thrown.where.kept, true);
});

test('the rest of a slab is passed on, with its own offsets', () => {
  const delivered = createReplayGuard();
  delivered.add(slabOf('a', 'bb'));
  delivered.begin();
  assert.is(delivered.beyond(slabOf('a')), undefined);
  const rest = delivered.beyond(slabOf('bb', 'ccc', 4));
  assert.equal([rest && itemsOf(rest), [...(rest?.offsets ?? [])], rest?.count], [['ccc', 4], [0, 6, 8], 2]);
  assert.equal(delivered.beyond(slabOf(5)), slabOf(5));
  delivered.end();
});

test('compares lent memory as it was when the sink had accepted it', () => {
  const delivered = createReplayGuard();
  const slab = slabOf('a', 'bb');
  const end = lend(slab.bytes, () => {});
  delivered.add(slab);
  end();
  slab.bytes.fill(0x78);
  delivered.begin();
  assert.is(delivered.beyond(slabOf('a', 'bb')), undefined);
  delivered.end();
});

test('compares slabs of all sizes, held or not', () => {
  const texts = ['a', 'b'.repeat(2_000_000), 'c', 'd'];
  const delivered = createReplayGuard();
  for (const text of texts) delivered.add(slabOf(text));
  delivered.begin();
  assert.is(delivered.beyond(slabOf(...texts)), undefined);
  delivered.begin();
  assert.throws(() => delivered.beyond(slabOf(...texts.slice(0, 3), 'e')), /page changed/);
});

test('without a rollback everything counts as delivered', async () => {
  const delivered = createReplayGuard();
  const got: number[] = [];
  const sink: Sink = {
    write: ({ count }) => void got.push(count),
    commit() {},
    rollback: () => void got.splice(0),
    close() {},
    abort() {},
  };
  await attempt(sink, delivered, '[1, 2, 3]', { cut: 7 }).catch(() => undefined);
  assert.equal([delivered.count, got], [0, []]);
  await attempt(sink, delivered, '[7, 8]');
  assert.equal(
    got.reduce((sum, count) => sum + count, 0),
    2,
  );
});

test.run();
