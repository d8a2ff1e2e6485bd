import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createInFlight } from '../src/in-flight.js';
import { turns } from './sinks/lib.js';

test('is idle when nothing was tracked', async () => {
  await createInFlight().idle();
});

test('waits for all that is under way, failures included, and for what they begin', async () => {
  const { track, idle } = createInFlight();
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

test('hands the work back as it is', async () => {
  const { track } = createInFlight();
  assert.is(await track(Promise.resolve(7)), 7);
  const reason = new Error('broken');
  await track(Promise.reject(reason)).then(assert.unreachable, (thrown) => assert.is(thrown, reason));
});

test.run();
