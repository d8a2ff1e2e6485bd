/**
 * A limit whose beginnings come later than they were let through: a slot is held until it begins, and ages from then
 * on.
 */

import fc from 'fast-check';
import { asyncScheduler } from 'rxjs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { limited, type Slot } from '../../operators/index.js';
import { startClock, type VirtualClock } from '../support/virtual-clock.js';
import { excess, rates } from './windows.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

const oneIn = (ms: number) => limited<string>([{ most: 1, ms }]);

async function withClock(work: (clock: VirtualClock) => Promise<void>): Promise<void> {
  const clock = startClock();
  try {
    await work(clock);
  } finally {
    clock.stop();
  }
}

/** Lets time pass, and then everything that waited for it. */
async function pass(clock: VirtualClock, ms: number): Promise<void> {
  clock.pass(ms);
  await new Promise(setImmediate);
}

/** Stands in line; its slots come in here. */
function lineUp(limit: ReturnType<typeof limited<string>>, key = 'k'): Slot[] {
  const slots: Slot[] = [];
  void limit.acquire(key).then((slot) => void slots.push(slot));
  return slots;
}

test('who was let through holds its slot until it begins, and the next waits for a window from then on', () =>
  withClock(async (clock) => {
    const limit = oneIn(50);
    const first = await limit.acquire('k');
    const next = lineUp(limit);
    await pass(clock, 1000);
    assert.equal([next.length, limit.wait(), limit.held()], [0, Number.POSITIVE_INFINITY, 0]);
    first.begin();
    assert.is(limit.wait(), 50);
    await pass(clock, 49);
    assert.is(next.length, 0);
    await pass(clock, 1);
    assert.is(next.length, 1);
  }));

test('a slot is taken without the queue if one is free and nothing waits', () =>
  withClock(async (clock) => {
    const limit = oneIn(50);
    const first = limit.take();
    assert.ok(first);
    assert.is(limit.take(), undefined, 'none is free');
    const next = lineUp(limit);
    first.giveBack();
    await pass(clock, 0);
    assert.is(next.length, 1);
    next[0]?.begin();
    const waiting = lineUp(limit);
    assert.is(limit.take(), undefined, 'another waits already');
    await pass(clock, 50);
    assert.is(waiting.length, 1);
    waiting[0]?.begin();
    await pass(clock, 50);
    limit.take()?.begin();
    assert.is(limit.wait(), 50, 'a slot that was taken ages as any other');
  }));

test('without a limit a slot costs nothing, until a server states a limit', () =>
  withClock(async (clock) => {
    const limit = limited<string>([]);
    const free = limit.take();
    assert.is(limit.take(), free);
    limit.allow(1, Date.now() + 10);
    free?.giveBack();
    assert.ok(limit.take());
    assert.is(limit.take(), undefined);
    await pass(clock, 10);
    assert.ok(limit.take());
  }));

test('a slot that is given back goes to the next at once', () =>
  withClock(async (clock) => {
    const limit = oneIn(50);
    const first = await limit.acquire('k');
    const next = lineUp(limit);
    first.giveBack();
    await pass(clock, 0);
    assert.is(next.length, 1);
  }));

const words: readonly (readonly [first: keyof Slot, then: keyof Slot, wait: number])[] = [
  ['begin', 'begin', 20],
  ['begin', 'giveBack', 20],
  ['giveBack', 'begin', 0],
  ['giveBack', 'giveBack', 0],
];

for (const [first, then, wait] of words) {
  test(`the first call on a slot counts: \`${first}\`, whatever \`${then}\` does after it`, () =>
    withClock(async (clock) => {
      const limit = oneIn(50);
      const slot = await limit.acquire('k');
      slot[first]();
      clock.pass(30);
      slot[then]();
      assert.is(limit.wait(), wait);
      clock.pass(100);
      await limit.acquire('k');
      assert.is(limit.wait(), Number.POSITIVE_INFINITY, 'one word did not make two places');
    }));
}

test('a slot given back adds one to an earlier `allow`, but not to a later one', () =>
  withClock(async () => {
    const limit = limited<string>([]);
    const until = Date.now() + 60;
    limit.allow(1, until);
    const [first, others] = [await limit.acquire('k'), lineUp(limit)];
    assert.is(limit.held(), 60);
    first.giveBack();
    await new Promise(setImmediate);
    assert.is(others.length, 1);
    limit.allow(0, until);
    others[0]?.giveBack();
    assert.is(limit.held(), 60);
  }));

test('an abort after the slot was given has no effect: the slot stays with its owner', () =>
  withClock(async () => {
    const limit = oneIn(50);
    const leaving = new AbortController();
    const slot = await limit.acquire('k', leaving.signal);
    leaving.abort();
    assert.is(limit.wait(), Number.POSITIVE_INFINITY);
    slot.giveBack();
    assert.is(limit.wait(), 0);
  }));

test('keys take turns at slots that are given back as they do at others', () =>
  withClock(async (clock) => {
    const limit = oneIn(50);
    const first = await limit.acquire('greedy');
    const [greedy, second, modest] = [lineUp(limit, 'greedy'), lineUp(limit, 'greedy'), lineUp(limit, 'modest')];
    first.giveBack();
    await pass(clock, 0);
    greedy[0]?.giveBack();
    await pass(clock, 0);
    assert.equal([greedy.length, second.length, modest.length], [1, 0, 1]);
  }));

test('no timer runs while only those who were let through can make room', () =>
  withClock(async (clock) => {
    const limit = oneIn(50);
    const first = await limit.acquire('k');
    const next = lineUp(limit);
    const { setInterval: started } = globalThis;
    let timers = 0;
    const counting = (...given: Parameters<typeof started>) => {
      timers += 1;
      return started(...given);
    };
    Object.assign(globalThis, { setInterval: counting });
    try {
      await pass(clock, 10_000);
      assert.is(timers, 0);
      first.begin();
      assert.is(timers, 1);
      await pass(clock, 50);
      assert.equal([timers, next.length], [1, 1]);
    } finally {
      Object.assign(globalThis, { setInterval: started });
    }
  }));

const comers = fc.array(
  fc.record({
    key: fc.constantFrom('a', 'b', 'c'),
    delay: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 500 })),
    word: fc.constantFrom<(keyof Slot)[]>('begin', 'begin', 'giveBack'),
  }),
  { minLength: 1, maxLength: 40 },
);

test('at random delays no window of beginnings exceeds its rate, and none is left in the queue', () =>
  fc.assert(
    fc.asyncProperty(rates, comers, (of, coming) =>
      withClock(async (clock) => {
        const limit = limited<string>(of);
        const begun: number[] = [];
        let settled = 0;
        const settle = (slot: Slot, word: keyof Slot) => {
          slot[word]();
          settled += 1;
          if (word === 'begin') begun.push(Date.now());
        };
        for (const { key, delay, word } of coming) {
          const soon = (slot: Slot) => void asyncScheduler.schedule(() => settle(slot, word), delay);
          void limit.acquire(key).then(soon);
        }
        for (let turn = 0; settled < coming.length && turn < 5_000; turn += 1) await pass(clock, 7);
        assert.is(settled, coming.length);
        for (const rate of of) assert.is(excess(begun, rate), undefined);
      }),
    ),
    { seed, numRuns: 40 },
  ));

test.run();
