/** The judge of a run: what it counts when a page is rolled back, written again, or reaches several sinks. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { borrowing, isBorrowing } from '../../../sinks/borrowing.js';
import type { Sink } from '../../../sinks/contract.js';
import { createJudge, type DriftRule } from '../../../sinks/shape/judge.js';
import { anything, type ValueShape } from '../../../sinks/shape/value-shape.js';
import type { Notice } from '../../../src/core/model/notice.js';
import { cutSink, linesIn, newStore } from '../kinds.js';
import { calm, pageEnd } from '../lib.js';
import { batchOf } from './sample.js';

const id: ValueShape = { ...anything, types: new Set(['integer']) };
const shape: ValueShape = { ...anything, types: new Set(['object']), properties: new Map([['id', id]]) };

function judging(rule: DriftRule, count = 1) {
  const notices: Notice[] = [];
  const notify = (notice: Notice) => void notices.push(notice);
  const judge = createJudge({ shapes: new Map([['users', shape]]), rule, notify, mask: (text) => text });
  const stores = Array.from({ length: count }, newStore);
  return { judge, notices, stores, sinks: stores.map((store) => judge.before(cutSink(store))) };
}

async function write(sink: Sink | undefined, items: readonly unknown[], place: Parameters<typeof batchOf>[1] = {}) {
  await sink?.write(batchOf(items, place), calm);
}

const commit = async (sink: Sink | undefined, page = 0) =>
  void (await sink?.commit?.(pageEnd('users', { page, walk: '0' }), calm));

test('items of a page that is rolled back do not count', async () => {
  const { judge, sinks } = judging('warn');
  await write(sinks[0], [{ id: 'x' }]);
  assert.is(judge.drift(), undefined, 'the page is not committed');
  await sinks[0]?.rollback?.('users');
  await write(sinks[0], [{ id: 1 }]);
  await commit(sinks[0]);
  assert.is(judge.drift(), undefined);
});

test('a page that is written again counts once, and its difference is reported once', async () => {
  const { judge, sinks, notices } = judging('warn');
  for (const _ of [1, 2]) {
    await write(sinks[0], [{ id: 1 }, { id: 'x' }]);
    await commit(sinks[0]);
    await sinks[0]?.rollback?.('users');
  }
  assert.is(judge.drift()?.items, 1);
  assert.is(notices.length, 1);
});

test('a batch that several sinks get is judged once', async () => {
  const { judge, sinks } = judging('warn', 3);
  const batch = batchOf([{ id: 'x' }, { id: 'y' }]);
  for (const sink of sinks) await sink.write(batch, calm);
  for (const sink of sinks) await commit(sink);
  assert.is(judge.drift()?.items, 2);
});

test('batches of a page add up, and places count from its first item', async () => {
  const { judge, sinks, stores } = judging('drop');
  await write(sinks[0], [{ id: 1 }, { id: 'x' }]);
  await write(sinks[0], [{ id: 3 }, { id: null }], { offset: 2 });
  await commit(sinks[0]);
  assert.equal(
    judge.drift()?.places.map(({ item, change }) => [item, change]),
    [
      [1, 'type'],
      [3, 'null'],
    ],
  );
  assert.equal(
    stores.map((store) => linesIn(store, 'users')),
    [['{"id":1}', '{"id":3}']],
  );
  assert.is(judge.leftOut('users'), 2);
});

test('of many differences the first 10 are reported, and the first 100 are kept', async () => {
  const notices: Notice[] = [];
  const shapes = new Map([['users', { ...shape, properties: new Map() }]]);
  const judge = createJudge({ shapes, rule: 'warn', notify: (each) => notices.push(each), mask: (text) => text });
  const sink = judge.before(cutSink(newStore()));
  await write(
    sink,
    Array.from({ length: 150 }, (_, n) => ({ [`m${n}`]: 'x' })),
  );
  await commit(sink);
  assert.is(notices.length, 10);
  assert.match(notices[9]?.message ?? '', /; further differences are in the summary$/);
  assert.equal([judge.drift()?.items, judge.drift()?.places.length], [150, 100]);
});

test('a data type with a bucket has the shape of its name', async () => {
  const { judge, sinks } = judging('warn');
  await write(sinks[0], [{ id: 'x' }], { dataType: 'in.c-main.users' });
  await sinks[0]?.commit?.(pageEnd('in.c-main.users', { page: 0, walk: '0' }), calm);
  await write(sinks[0], [{ id: 'x' }], { dataType: 'superusers' });
  assert.is(judge.drift()?.items, 1);
});

test('a sink that may borrow memory still may', () => {
  const { judge } = judging('warn');
  const inner = cutSink(newStore());
  const lent = { ...inner, write: borrowing(inner.write) };
  assert.ok(isBorrowing(judge.before(lent).write));
  assert.not.ok(isBorrowing(judge.before({ ...inner, write: (batch, signal) => inner.write(batch, signal) }).write));
});

test('evolve: the shape changes with the commit of a page, not before', async () => {
  const { judge, sinks } = judging('evolve');
  const types = () => [...(judge.shapes().get('users')?.properties.get('id')?.types ?? [])];
  await write(sinks[0], [{ id: 'x' }]);
  assert.equal(types(), ['integer']);
  await commit(sinks[0]);
  assert.equal(types(), ['integer', 'string']);
  await write(sinks[0], [{ id: 'y' }], { page: 1 });
  await commit(sinks[0], 1);
  assert.is(judge.drift()?.items, 1);
});

test.run();
