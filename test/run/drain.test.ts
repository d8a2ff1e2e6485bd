import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createDrain } from '../../src/run/drain.js';
import { turns } from '../sinks/lib.js';

test('is idle when nothing was tracked', async () => {
  await createDrain().idle();
});

test('waits for all current work, failures included, and for the work it starts', async () => {
  const { track, idle } = createDrain();
  const order: string[] = [];
  const step = (name: string) => turns(3).then(() => void order.push(name));
  const failing = track(
    step('first').then(() => {
      void track(step('second'));
      throw new Error('broken');
    }),
  );
  failing.catch(() => {});
  await idle();
  assert.equal(order, ['first', 'second']);
});

test('stops after the current work, without paused work', async () => {
  const { track, standStill, stop, idle } = createDrain();
  const leaving = new AbortController();
  const order: string[] = [];
  const standing = track(
    standStill(turns(5), leaving.signal).then(
      () => order.push('went on'),
      () => order.push('called off'),
    ),
  );
  void track(turns(3).then(() => order.push('under way')));
  await stop();
  order.push('stopped');
  await turns(9);
  leaving.abort();
  await idle();
  await standing;
  assert.equal(order, ['under way', 'stopped', 'called off']);
});

test('paused work continues, and is waited for then', async () => {
  const { track, standStill, stop } = createDrain();
  const order: string[] = [];
  void track(
    standStill(turns(2), new AbortController().signal)
      .then(() => turns(3))
      .then(() => order.push('through')),
  );
  await turns(4);
  await stop();
  assert.equal(order, ['through']);
});

test('`idle` waits for paused work that is cancelled before it continues', async () => {
  const { track, standStill, stop, idle } = createDrain();
  const order: string[] = [];
  void track(
    standStill(Promise.reject(new Error('left')), new AbortController().signal).catch(async () => {
      await turns(3);
      order.push('cleared');
    }),
  );
  await stop();
  await idle();
  assert.equal(order, ['cleared']);
});

test('hands the work back as it is', async () => {
  const { track } = createDrain();
  assert.is(await track(Promise.resolve(7)), 7);
  const reason = new Error('broken');
  await track(Promise.reject(reason)).then(assert.unreachable, (thrown) => assert.is(thrown, reason));
});

test.run();
