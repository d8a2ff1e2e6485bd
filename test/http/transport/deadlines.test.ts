/** The deadlines of requests: one timer for all, paused while a reader is busy. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { longestTimer } from '../../../src/core/util/limits.js';
import { createDeadlines, type Deadlines } from '../../../src/http/transport/deadlines.js';
import { startClock, type VirtualClock } from '../../support/virtual-clock.js';

const timed = (work: (clock: VirtualClock, deadlines: Deadlines) => void) => () => {
  const clock = startClock();
  const deadlines = createDeadlines();
  try {
    work(clock, deadlines);
  } finally {
    deadlines.close();
    clock.stop();
  }
};

/** Starts a deadline; returns whether it has passed. */
const started = (deadlines: Deadlines, ms: number) => {
  let isDue = false;
  const deadline = deadlines.start(ms, () => {
    isDue = true;
  });
  return { deadline, isDue: () => isDue };
};

test(
  'runs out at its time, and not before',
  timed((clock, deadlines) => {
    const { isDue } = started(deadlines, 100);
    clock.pass(99);
    assert.not(isDue());
    clock.pass(1);
    assert.ok(isDue());
  }),
);

test(
  'the time in which a reader is busy does not count',
  timed((clock, deadlines) => {
    const { deadline, isDue } = started(deadlines, 100);
    for (let turn = 0; turn < 3; turn += 1) {
      clock.pass(33);
      deadlines.pause(deadline);
      clock.pass(1000);
      deadlines.resume(deadline);
    }
    assert.not(isDue());
    clock.pass(1);
    assert.ok(isDue());
  }),
);

test(
  'one that is stopped never runs out, and others do at their own times',
  timed((clock, deadlines) => {
    const late = started(deadlines, 300);
    const early = started(deadlines, 100);
    const stopped = started(deadlines, 200);
    deadlines.stop(stopped.deadline);
    clock.pass(100);
    assert.equal([early.isDue(), late.isDue()], [true, false]);
    clock.pass(199);
    assert.equal([stopped.isDue(), late.isDue()], [false, false]);
    clock.pass(1);
    assert.ok(late.isDue());
  }),
);

test(
  'one that starts after the others ended runs out too',
  timed((clock, deadlines) => {
    deadlines.stop(started(deadlines, 100).deadline);
    clock.pass(150);
    const { isDue } = started(deadlines, 100);
    clock.pass(99);
    assert.not(isDue());
    clock.pass(1);
    assert.ok(isDue());
  }),
);

test(
  'a time too long for a timer is shortened to the longest',
  timed((clock, deadlines) => {
    const { isDue } = started(deadlines, 2 * longestTimer);
    clock.pass(longestTimer - 1);
    assert.not(isDue());
    clock.pass(1);
    assert.ok(isDue());
  }),
);

test(
  'closed, no timer is left',
  timed((clock, deadlines) => {
    const { isDue } = started(deadlines, 100);
    deadlines.close();
    clock.pass(1000);
    assert.not(isDue());
  }),
);

test.run();
