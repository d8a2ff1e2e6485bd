/** A limiter whose slots are counted elsewhere: slots that are late, answers that take long, and failures. */
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createSharedLimiter,
  type GivenSlots,
  type RateLedger,
  type SlotRequest,
  type UnusedSlots,
} from '../../../src/checkpoint/board/shared-limiter.js';

const key = 'https://api.example.com';
const rates = [{ most: 10, ms: 1000 }];
const calm = new AbortController().signal;

/** A ledger with these answers; after them it gives all slots. */
function ledgerOf(answers: readonly ((asked: SlotRequest) => Partial<GivenSlots>)[], ofConfiguration = rates) {
  const asked: SlotRequest[] = [];
  const returned: UnusedSlots[] = [];
  const rest = [...answers];
  const ledger: RateLedger = {
    async take(request) {
      asked.push(request);
      const answer = rest.shift() ?? ((given: SlotRequest) => ({ count: given.count }));
      return { count: 0, at: 7, total: 0, wait: 1, held: 0, ...answer(request) };
    },
    async giveBack(unused) {
      returned.push(unused);
      throw new Error('the answer is lost');
    },
    async hold() {},
  };
  return { asked, returned, limiter: createSharedLimiter(ledger, { key, rates: ofConfiguration }) };
}

async function inTime(work: (pass: (ms: number) => void) => Promise<void>): Promise<void> {
  let now = process.hrtime.bigint();
  const clock = mock.method(process.hrtime, 'bigint', () => now);
  try {
    await work((ms) => {
      now += BigInt(ms) * 1_000_000n;
    });
  } finally {
    clock.mock.restore();
  }
}

test('slots of an answer that comes late are not used, and the next ones may come later', () =>
  inTime(async (pass) => {
    const { asked, limiter } = ledgerOf([
      ({ count }) => {
        pass(150);
        return { count };
      },
      ({ count }) => {
        pass(150);
        return { count };
      },
    ]);
    const slots = await Promise.all([limiter.pass({}, calm), limiter.pass({}, calm)]);
    assert.equal(
      asked.map(({ count, late }) => [count, late]),
      [
        [2, 100],
        [2, 200],
      ],
    );
    assert.equal(
      slots.map((slot) => slot.isLate?.()),
      [false, false],
    );
  }));

test('a slot that is not used in time is late', () =>
  inTime(async (pass) => {
    const { limiter } = ledgerOf([]);
    const slot = await limiter.pass({}, calm);
    pass(100);
    assert.is(slot.isLate?.(), false);
    pass(1);
    assert.is(slot.isLate?.(), true);
  }));

test('the server gets the rates with their room, and as many requests as wait', async () => {
  const { asked, limiter } = ledgerOf([]);
  await Promise.all([1, 2, 3].map(() => limiter.pass({}, calm)));
  assert.equal(
    asked.map(({ count, rates: given }) => [count, given]),
    [[3, [{ most: 10, ms: 1010 }]]],
  );
});

test('a request learns that it waits only if there is no slot at once', async () => {
  const waits: string[] = [];
  const { limiter } = ledgerOf([({ count }) => ({ count }), () => ({ wait: 2, held: 30_000 })]);
  const owner = (name: string) => ({
    name,
    onWait: (ms: number) => void waits.push(`${name} waits ${ms}`),
    onPass: () => void waits.push(`${name} passes`),
  });
  await limiter.pass(owner('a'), calm);
  await limiter.pass(owner('b'), calm);
  assert.equal(waits, ['b waits 30000', 'b passes']);
});

test('a failure of the server is that of all requests that wait; later ones ask again', async () => {
  const failing = () => {
    throw new Error('no server');
  };
  const { limiter } = ledgerOf([failing]);
  const outcomes = await Promise.allSettled([limiter.pass({}, calm), limiter.pass({}, calm)]);
  assert.equal(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.is((await limiter.pass({}, calm)).isLate?.(), false);
});

test('a request that comes at any moment of an answer to others is asked for', async () => {
  for (let moment = 0; moment < 60; moment += 1) {
    const { limiter } = ledgerOf([]);
    let passed = 0;
    const pass = async () => {
      await limiter.pass({}, calm);
      passed += 1;
    };
    void pass();
    for (let turn = 0; turn < moment; turn += 1) await Promise.resolve();
    void pass();
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.is(passed, 2, `after ${moment} microtasks`);
  }
});

test('slots that no request has used are given back, those of one moment together', async () => {
  const minute = { most: 10, ms: 60_000 };
  const { returned, limiter } = ledgerOf([({ count }) => ({ count: count + 2 })], [minute]);
  const slots = await Promise.all([1, 2, 3].map(() => limiter.pass({}, calm)));
  slots[0]?.begin();
  for (const slot of slots) slot.giveBack();
  for (const slot of slots) slot.giveBack();
  await turn();
  const unused = { at: 7, late: 100, rates: [{ most: 10, ms: 60_100 }] };
  assert.equal(returned, [{ count: 4, ...unused }]);
  (await limiter.pass({}, calm)).giveBack();
  await turn();
  assert.equal(returned[1], { count: 1, ...unused });
  assert.is(returned.length, 2);
});

test('so are slots that are late, and none of a rate that forgets them soon', () =>
  inTime(async (pass) => {
    const answers = [
      ({ count }: SlotRequest) => {
        pass(150);
        return { count };
      },
    ];
    for (const [ms, given] of [
      [60_000, 1],
      [1000, 0],
    ] as const) {
      const { returned, limiter } = ledgerOf(answers, [{ most: 10, ms }]);
      (await limiter.pass({}, calm)).begin();
      await turn();
      assert.is(returned.length, given);
    }
  }));

test('names take turns', async () => {
  const { limiter } = ledgerOf([() => ({ wait: 1 }), ...Array.from({ length: 4 }, () => () => ({ count: 1 }))]);
  const order: string[] = [];
  const passed = ['a', 'a', 'a', 'b'].map(async (name) => {
    await limiter.pass({ name }, calm);
    order.push(name);
  });
  await Promise.all(passed);
  assert.equal(order, ['a', 'b', 'a', 'a']);
});

test.run();
