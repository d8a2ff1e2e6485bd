/** How many pages a walk requests ahead: smaller after failures, and back. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AheadWindow, mostAuto } from '../../../src/run/ahead/ahead-window.js';
import { startClock } from '../../support/virtual-clock.js';

const bytes = 16 * 1024 * 1024;

/** Makes a test in virtual time. */
const inTime = (work: (clock: ReturnType<typeof startClock>) => void) => () => {
  const clock = startClock();
  try {
    work(clock);
  } finally {
    clock.stop();
  }
};

const succeed = (window: AheadWindow, times: number): void => {
  for (let time = 0; time < times; time += 1) window.succeeded();
};

test(
  'halves after a failure, and is closed while its retry waits',
  inTime((clock) => {
    const window = new AheadWindow(8, bytes);
    assert.is(window.size, 8);
    window.failed(window.send(), 1000);
    assert.equal([window.size, window.isOpen()], [4, false]);
    clock.pass(999);
    assert.not.ok(window.isOpen());
    clock.pass(1);
    assert.ok(window.isOpen());
  }),
);

test(
  'halves once for requests that were under way together',
  inTime(() => {
    const window = new AheadWindow(8, bytes);
    const numbers = [window.send(), window.send(), window.send()];
    for (const number of numbers) window.failed(number, 0);
    assert.is(window.size, 4);
    window.failed(window.send(), 0);
    assert.is(window.size, 2);
  }),
);

test(
  'closes for the longest of several waits',
  inTime((clock) => {
    const window = new AheadWindow(8, bytes);
    window.failed(window.send(), 5000);
    window.failed(window.send(), 1000);
    clock.pass(2000);
    assert.not.ok(window.isOpen());
  }),
);

test(
  'ends at no page ahead, where a busy API may allow one request only',
  inTime(() => {
    const window = new AheadWindow(1, bytes);
    window.failed(window.send(), 0);
    assert.is(window.size, 0);
  }),
);

test(
  'grows back by one after two pages, then four: more slowly with each failure',
  inTime(() => {
    const window = new AheadWindow(4, bytes);
    window.failed(window.send(), 0);
    succeed(window, 1);
    assert.is(window.size, 2);
    succeed(window, 1);
    assert.is(window.size, 3);
    window.failed(window.send(), 0);
    assert.is(window.size, 1);
    succeed(window, 3);
    assert.is(window.size, 1);
    succeed(window, 1);
    assert.is(window.size, 2);
  }),
);

test(
  'forgets its failures once it is whole again',
  inTime(() => {
    const window = new AheadWindow(2, bytes);
    window.failed(window.send(), 0);
    succeed(window, 3);
    assert.is(window.size, 2);
    window.failed(window.send(), 0);
    succeed(window, 2);
    assert.is(window.size, 2);
  }),
);

test(
  'auto holds as many pages as are read while a response takes to begin',
  inTime(() => {
    const window = new AheadWindow('auto', bytes);
    assert.is(window.size, 1);
    window.answered(50);
    window.worked(10, 1000);
    assert.is(window.size, 5);
  }),
);

test(
  'auto never exceeds its bounds: 16 pages, and the bytes for them',
  inTime(() => {
    const fast = new AheadWindow('auto', bytes);
    fast.answered(500);
    fast.worked(0, 1000);
    assert.is(fast.size, mostAuto);
    const large = new AheadWindow('auto', bytes);
    large.answered(500);
    large.worked(0, bytes / 3);
    assert.is(large.size, 3);
    large.worked(0, bytes * 2);
    assert.is(large.size, 1);
  }),
);

test(
  'auto follows the mean of latency and work',
  inTime(() => {
    const window = new AheadWindow('auto', bytes);
    window.answered(40);
    window.answered(80);
    window.worked(10, 1000);
    assert.is(window.size, 5);
    window.worked(50, 1000);
    assert.is(window.size, 3);
  }),
);

test(
  'auto grows back after a failure, to what it has found',
  inTime(() => {
    const window = new AheadWindow('auto', bytes);
    window.answered(40);
    window.worked(10, 1000);
    window.failed(window.send(), 0);
    assert.is(window.size, 2);
    window.worked(10, 1000);
    assert.is(window.size, 2);
    succeed(window, 4);
    assert.is(window.size, 4);
  }),
);

test(
  'auto asks for fewer pages if the rates delay requests; a given number stays',
  inTime(() => {
    const window = new AheadWindow('auto', bytes);
    window.answered(40);
    window.worked(10, 1000);
    window.delayed();
    assert.is(window.size, 3);
    for (let time = 0; time < 5; time += 1) window.delayed();
    assert.is(window.size, 1);
    const given = new AheadWindow(4, bytes);
    given.delayed();
    given.answered(1);
    given.worked(100, 1000);
    assert.is(given.size, 4);
  }),
);

test.run();
