/** The clock of a request: it runs while the server is waited for, and then only. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { longestTimer } from '../../../src/core/util/limits.js';
import { lateCode } from '../../../src/http/transport/codes.js';
import { createDeadline } from '../../../src/http/transport/deadline.js';
import { startClock, type VirtualClock } from '../../support/virtual-clock.js';

const never = new AbortController().signal;

const timed = (work: (clock: VirtualClock) => Promise<void>) => async () => {
  const clock = startClock();
  try {
    await work(clock);
  } finally {
    clock.stop();
  }
};

test(
  'aborts when what is waited for takes longer',
  timed(async (clock) => {
    const { signal, waiting } = createDeadline(100, never);
    void waiting(() => new Promise(() => undefined));
    clock.pass(99);
    assert.not.ok(signal.aborted);
    clock.pass(1);
    assert.ok(signal.aborted);
    assert.is(signal.reason.code, lateCode);
  }),
);

test(
  'adds up the waits',
  timed(async (clock) => {
    const { signal, waiting } = createDeadline(100, never);
    const wait = (ms: number) => waiting(async () => clock.pass(ms));
    await wait(60);
    await wait(39);
    assert.not.ok(signal.aborted);
    await wait(1);
    assert.ok(signal.aborted);
  }),
);

test(
  'does not count the time in which the reader of a body is busy',
  timed(async (clock) => {
    const { signal, body } = createDeadline(100, never);
    async function* chunks() {
      for (const chunk of ['a', 'b', 'c']) {
        clock.pass(33);
        yield chunk;
      }
    }
    const read: string[] = [];
    for await (const chunk of body(chunks())) {
      read.push(chunk);
      clock.pass(1000);
    }
    assert.equal(read, ['a', 'b', 'c']);
    assert.not.ok(signal.aborted);
  }),
);

test(
  'counts the time until a chunk has come',
  timed(async (clock) => {
    const { signal, body } = createDeadline(100, never);
    async function* chunks() {
      yield 'a';
      clock.pass(100);
      yield 'b';
    }
    for await (const _ of body(chunks())) clock.pass(1);
    assert.ok(signal.aborted);
  }),
);

test(
  'a sum that no timer holds is cut to what one does',
  timed(async (clock) => {
    const { signal, waiting } = createDeadline(2 * longestTimer, never);
    void waiting(() => new Promise(() => undefined));
    clock.pass(longestTimer - 1);
    assert.not.ok(signal.aborted);
    clock.pass(1);
    assert.ok(signal.aborted);
  }),
);

test('leaving a body leaves its source', async () => {
  let left = false;
  async function* chunks() {
    try {
      yield 'a';
      yield 'b';
    } finally {
      left = true;
    }
  }
  for await (const _ of createDeadline(100, never).body(chunks())) break;
  assert.ok(left);
});

test('aborts when the run does', () => {
  const run = new AbortController();
  const { signal } = createDeadline(100, run.signal);
  run.abort('over');
  assert.is(signal.reason, 'over');
});

test('without a limit there is no clock', async () => {
  const run = new AbortController();
  const { signal, waiting } = createDeadline(undefined, run.signal);
  assert.is(signal, run.signal);
  assert.is(await waiting(async () => 'done'), 'done');
});

test.run();
