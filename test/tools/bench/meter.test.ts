/** The meter of a run, on a clock that the test sets. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceOf } from '../../../src/core/util/byte-source.js';
import { createProgressReporter } from '../../../src/page/progress.js';
import { createMeter } from '../../../src/tools/bench/meter.js';

function onClock() {
  let now = 0;
  const meter = createMeter(() => now);
  const pass = (ms: number) => {
    now += ms * 1e6;
  };
  /** Ms in each phase that took any. */
  const read = () =>
    Object.fromEntries(
      Object.entries(meter.read().phases)
        .map(([phase, time]) => [phase, time / 1e6])
        .filter(([, time]) => time !== 0),
    );
  const attempt = (page = 0) => createProgressReporter('users', page, meter.onActivity);
  return { meter, pass, read, attempt };
}

const chunk = (bytes: number) => new Uint8Array(bytes);
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a page is waited for, received, scanned and written', async () => {
  const { meter, pass, read, attempt } = onClock();
  const page = attempt();
  page.now('login');
  pass(3);
  page.now('answer');
  let end = () => {};
  page.follow(
    new Promise<void>((resolve) => {
      end = resolve;
    }),
  );
  pass(50);
  page.now('page');
  const body = page.reading({
    async read(take) {
      pass(4);
      await take(chunk(10));
      pass(4);
      await take(chunk(20));
    },
  });
  await body.read((bytes) => {
    page.received(bytes);
    pass(1);
    if (bytes.length === 10) return undefined;
    page.now('sink');
    pass(7);
    page.now('turn');
    pass(1);
    page.now('sink');
    return Promise.resolve().then(() => {
      pass(2);
      page.taken({ bytes, offsets: new Uint32Array(), count: 1 });
    });
  });
  page.now('turn');
  pass(9);
  page.commits();
  pass(20);
  end();
  await settled();
  pass(100);
  assert.equal(read(), { login: 3, waiting: 50, receiving: 8, scanning: 2, sink: 39, engine: 100 });
  const { received, calls } = meter.read();
  assert.is(received, 30);
  assert.is(meter.received(), 30);
  assert.ok(calls > 10);
});

test('the wait before a retry ends when the next attempt begins', async () => {
  const { pass, read, attempt } = onClock();
  const first = attempt();
  first.now('answer');
  first.follow(Promise.reject(new Error('503')));
  pass(5);
  await settled();
  attempt().retry(1000);
  pass(20);
  const second = attempt();
  second.limit(10);
  pass(10);
  second.now('answer');
  second.takenBack();
  pass(5);
  second.follow(Promise.resolve());
  await settled();
  pass(7);
  assert.equal(read(), { waiting: 10, limit: 10, retry: 20, engine: 7 });
});

test('attempts at pages of the same name end on their own', async () => {
  const { pass, read, attempt } = onClock();
  const [one, other] = [attempt(), attempt()];
  one.now('answer');
  other.now('answer');
  one.follow(Promise.resolve());
  await settled();
  pass(10);
  other.follow(Promise.resolve());
  await settled();
  pass(1);
  assert.equal(read(), { waiting: 10, engine: 1 });
  const body = one.reading(sourceOf([chunk(1)]));
  await assert.ok(body);
});

test.run();
