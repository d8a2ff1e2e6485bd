/** The rules of a rate limiter, for each implementation. `worker` makes the limiter of another worker. */
import * as assert from 'uvu/assert';
import type { RateLimiter, RateLimiterOptions, RequestSlot } from '../../src/http/rate-limiter.js';

/** All limiters of one rule count together. */
export type LimitedWorkers = (options: RateLimiterOptions) => RateLimiter;

const calm = new AbortController().signal;

/** In ms, the same for all processes of this machine. */
export const machineTime = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Takes slots until one is not too late, and begins it. Returns the time at which the request is sent. */
export async function sendOne(limiter: RateLimiter, signal: AbortSignal = calm): Promise<number> {
  for (;;) {
    const slot: RequestSlot = await limiter.pass({}, signal);
    const at = machineTime(); // before the question: a process may be suspended after it
    if (slot.isLate?.() === true) {
      slot.giveBack();
      continue;
    }
    slot.begin();
    return at;
  }
}

/** The most of these times within any window of `ms`. */
export function mostWithin(times: readonly number[], ms: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [index, at] of sorted.entries()) {
    while (at - (sorted[first] ?? at) >= ms) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** Sends `count` requests with some loops side by side. */
export async function sendMany(limiter: RateLimiter, count: number, loops: number): Promise<readonly number[]> {
  const times: number[] = [];
  let left = count;
  const loop = async () => {
    while (left > 0) {
      left -= 1;
      times.push(await sendOne(limiter));
    }
  };
  await Promise.all(Array.from({ length: loops }, loop));
  return times;
}

/** In ms: clocks and timers count whole ms. */
const second = 990;

/** Answers a request that was let through. */
const answered = (limiter: RateLimiter, status: number, headers: Readonly<Record<string, string>>) =>
  limiter.around(async () => ({ status, headers }));

export const rateLimiterRules: Readonly<Record<string, (worker: LimitedWorkers) => Promise<void>>> = {
  async 'no window has more requests than its rate, of all workers together'(worker) {
    const rates = [
      { most: 20, ms: 200 },
      { most: 150, ms: 2000 },
    ];
    const workers = Array.from({ length: 4 }, () => worker({ rates }));
    const times = (await Promise.all(workers.map((each) => sendMany(each, 100, 3)))).flat();
    assert.is(times.length, 400);
    for (const { most, ms } of rates) {
      const found = mostWithin(times, ms);
      assert.ok(found <= most, `${found} in ${ms} ms`);
      assert.ok(found > most / 2, `the rate is used: ${found} in ${ms} ms`);
    }
  },

  async 'a rate for a long time is not spread: what it allows may go out at once'(worker) {
    const limiter = worker({ rates: [{ most: 60, ms: 86_400_000 }] });
    const leaving = new AbortController();
    let sent = 0;
    for (let isOver = false; !isOver; ) {
      const onWait = () => leaving.abort();
      const passed = Promise.resolve(limiter.pass({ onWait }, leaving.signal));
      isOver = await passed.then(
        (slot) => {
          slot.begin();
          if (slot.isLate?.() !== true) sent += 1;
          return false;
        },
        () => true,
      );
    }
    assert.ok(sent <= 60 && sent > 0, `${sent} sent; slots that were late are lost`);
  },

  async 'a refusal that states a wait holds all workers, and a response that was under way does not end it'(worker) {
    const options = { rates: [], longestHold: 60_000 };
    const [one, two] = [worker(options), worker(options)];
    await sendOne(one);
    await sendOne(two);
    const refused = machineTime();
    await answered(one, 429, { 'retry-after': '1' });
    await delayedBy(one);
    await answered(two, 200, { 'x-ratelimit-remaining': '50', 'x-ratelimit-reset': '30' });
    const times = await Promise.all([sendOne(one), sendOne(two)]);
    for (const at of times) assert.ok(at - refused >= second, `${at - refused} ms`);
  },

  async 'the remaining requests of a response are those of all workers'(worker) {
    const options = { rates: [], longestHold: 60_000 };
    const [one, two] = [worker(options), worker(options)];
    await sendOne(one);
    const stated = machineTime();
    await answered(one, 200, { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': '1' });
    await sendOne(one); // what the response said is there for all
    const times = await Promise.all([sendOne(two), sendOne(two), sendOne(one), sendOne(two)]);
    assert.is(times.filter((at) => at - stated < second).length, 2, `${times.map((at) => at - stated)}`);
  },

  async 'a request that is given up leaves the line'(worker) {
    const limiter = worker({ rates: [{ most: 1, ms: 1000 }] });
    await sendOne(limiter);
    const leaving = new AbortController();
    const reason = new Error('enough');
    const left = Promise.resolve(limiter.pass({ onWait: () => leaving.abort(reason) }, leaving.signal));
    assert.is(await left.catch((thrown: unknown) => thrown), reason);
    assert.ok((await sendOne(limiter)) > 0);
  },

  async 'without rates nothing waits'(worker) {
    assert.is((await sendMany(worker({ rates: [] }), 50, 5)).length, 50);
  },
};

/** Settles when the limiter lets nothing through. */
async function delayedBy(limiter: RateLimiter): Promise<void> {
  const leaving = new AbortController();
  await new Promise<void>((resolve) => {
    const passed = async () => {
      while (!leaving.signal.aborted) {
        const slot = await limiter.pass({ onWait: () => resolve() }, leaving.signal);
        slot.giveBack();
      }
    };
    passed().catch(() => {});
  });
  leaving.abort();
}
