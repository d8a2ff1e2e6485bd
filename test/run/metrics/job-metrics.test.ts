import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { watchingAttempts } from '../../../src/page/attempt-meter.js';
import { createProgressReporter } from '../../../src/page/progress.js';
import { JobMetrics, waitCauses } from '../../../src/run/metrics/job-metrics.js';

function onClock() {
  let now = 0;
  const job = new JobMetrics(() => now);
  const pass = (seconds: number) => {
    now += seconds * 1e9;
  };
  const listener = watchingAttempts(() => job.attempt());
  const attempt = (page = 0) => createProgressReporter('users', page, listener);
  /** Seconds by cause, of those that have any. */
  const waited = () =>
    Object.fromEntries(waitCauses.map((cause) => [cause, job.waited(cause)]).filter(([, time]) => time !== 0));
  return { job, pass, attempt, waited };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const slab = (count: number) => ({ count, bytes: new Uint8Array(count * 10), ends: new Uint32Array() }) as never; // what is read of it

test('the time that a page waits has a cause', async () => {
  const { job, pass, attempt, waited } = onClock();
  const page = attempt();
  page.now('login');
  pass(1);
  page.limit(0);
  pass(2);
  page.now('answer');
  page.follow(
    (async () => {
      pass(4);
      page.now('page');
      pass(8);
      page.commits();
      pass(16);
    })(),
  );
  await settled();
  assert.equal(waited(), { login: 1, rate: 2, server: 12, sink: 16 });
  assert.equal([job.pageDuration.sum, job.commitDuration.sum], [31, 16]);
});

test('pages that wait at the same time add up', () => {
  const { job, pass, attempt, waited } = onClock();
  const [one, other] = [attempt(0), attempt(1)];
  one.now('answer');
  other.now('answer');
  pass(1);
  other.now('sink');
  pass(1);
  assert.equal(waited(), { server: 3, sink: 1 });
  assert.equal([job.waiting('server'), job.waiting('sink'), job.waiting('rate')], [1, 1, 0]);
});

test('the wait before a retry is no attempt', async () => {
  const { job, pass, attempt, waited } = onClock();
  const failed = attempt();
  failed.now('answer');
  failed.follow(Promise.reject(new Error('it failed')));
  await settled();
  attempt().retry(5000);
  pass(5);
  const again = attempt();
  again.now('answer');
  again.follow(Promise.resolve());
  await settled();
  assert.equal(waited(), { retry: 5 });
  assert.is(job.retries, 1);
  assert.equal([job.pageDuration.count, job.pageDuration.sum], [2, 0]);
});

test('a sink lags by what it has accepted, until the page is committed or rolled back', async () => {
  const { job, attempt } = onClock();
  const [one, other] = [attempt(0), attempt(1)];
  one.taken(slab(3));
  other.taken(slab(4));
  assert.equal([job.lagItems, job.lagBytes], [7, 70]);
  one.takenBack();
  assert.equal([job.lagItems, job.lagBytes], [4, 40]);
  other.follow(Promise.resolve());
  await settled();
  assert.equal([job.lagItems, job.lagBytes], [0, 0]);
});

test.run();
