/**
 * The memory of a limit on its own: whatever time passes between taking a place and beginning, no window of beginnings
 * holds more than its rate.
 */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Rate } from '../../operators/index.js';
import { createWindowLog, type WindowLog } from '../../operators/window-log.js';
import { earliest, excess, rates } from './windows.js';

const seed = Number(process.env.FC_SEED ?? Math.floor(Math.random() * 2 ** 31));
console.log(`seed ${seed} (set FC_SEED to repeat)`);

/**
 * Arrives `gap` ms after the previous one and begins so many ms after it was let through; before that its clock is set
 * back by `back` ms.
 */
interface Comer {
  readonly gap: number;
  readonly delay: number;
  readonly begins: boolean;
  readonly back: number;
}

interface Played {
  /** In true time. */
  readonly begun: readonly number[];
  readonly given: number;
  readonly longestWait: number;
}

/** Lets all through in order, as early as the logs allow. Fails if a wait would never end. */
function play(logs: readonly WindowLog[], coming: readonly Comer[]): Played {
  const begun: number[] = [];
  let pending: { readonly at: number; readonly begins: boolean }[] = [];
  let [now, behind, given, longestWait] = [0, 0, 0, 0];
  const settle = ({ begins }: { readonly begins: boolean }) => {
    if (begins) begun.push(now);
    else given += 1;
    for (const log of logs)
      if (begins) log.begin(now - behind);
      else log.giveBack();
  };
  const passTo = (until: number) => {
    for (let next = soonest(pending); next !== undefined && next.at <= until; next = soonest(pending)) {
      const due = next;
      now = due.at;
      pending = pending.filter((each) => each !== due);
      settle(due);
    }
    if (until < Number.POSITIVE_INFINITY) now = until;
  };
  for (const { gap, delay, begins, back } of coming) {
    passTo(now + gap);
    behind += back;
    for (let ms = waitOf(logs, now - behind); ms > 0; ms = waitOf(logs, now - behind)) {
      const next = soonest(pending);
      if (ms < Number.POSITIVE_INFINITY) longestWait = Math.max(longestWait, ms);
      else assert.ok(next !== undefined, 'no one is left to end this wait');
      passTo(Math.min(now + ms, next?.at ?? Number.POSITIVE_INFINITY));
    }
    for (const log of logs) log.take();
    pending.push({ at: now + delay, begins });
  }
  passTo(Number.POSITIVE_INFINITY);
  return { begun, given, longestWait };
}

const waitOf = (logs: readonly WindowLog[], now: number): number => Math.max(...logs.map((log) => log.wait(now)));
const soonest = <T extends { readonly at: number }>(pending: readonly T[]): T | undefined =>
  pending.reduce<T | undefined>((first, each) => (first === undefined || each.at < first.at ? each : first), undefined);

const gap = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 }));
const delay = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 2_000 }));
const steady = { begins: true, back: 0 };

test('however late the slots begin, no window exceeds its rate, and all are served', () => {
  const comer = fc.record({ gap, delay, begins: fc.boolean(), back: fc.constant(0) });
  fc.assert(
    fc.property(rates, fc.array(comer, { minLength: 1, maxLength: 120 }), (of, coming) => {
      const { begun, given } = play(
        of.map((rate) => createWindowLog(rate)),
        coming,
      );
      assert.is(begun.length, coming.filter(({ begins }) => begins).length);
      assert.is(begun.length + given, coming.length);
      for (const rate of of) assert.is(excess(begun, rate), undefined);
    }),
    { seed, numRuns: 500 },
  );
});

test('a clock that is put back lets no window hold more, and makes no wait longer than the window', () => {
  const back = fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 0, max: 5_000 }));
  const comer = fc.record({ gap, delay, begins: fc.boolean(), back });
  fc.assert(
    fc.property(rates, fc.array(comer, { minLength: 1, maxLength: 80 }), (of, coming) => {
      const { begun, longestWait } = play(
        of.map((rate) => createWindowLog(rate)),
        coming,
      );
      for (const rate of of) assert.is(excess(begun, rate), undefined);
      assert.ok(longestWait <= Math.max(...of.map(({ ms }) => ms)), `${longestWait} ms`);
    }),
    { seed, numRuns: 300 },
  );
});

const slow = (ms: number) =>
  fc.array(fc.integer({ min: 0, max: Math.floor(ms / 50) }), { minLength: 900, maxLength: 900 });
const large = fc.record({ most: fc.integer({ min: 5, max: 40 }), ms: fc.integer({ min: 200, max: 900 }) });

test('if each begins within a fiftieth of the shortest window, 95 % of the rates are used under load', () => {
  const one = fc.array(large, { minLength: 1, maxLength: 2 });
  const loads = one.chain((of) => slow(Math.min(...of.map(({ ms }) => ms))).map((delays) => ({ of, delays })));
  fc.assert(
    fc.property(loads, ({ of, delays }) => {
      const coming = delays.map((each) => ({ ...steady, gap: 0, delay: each }));
      const { begun } = play(
        of.map((rate) => createWindowLog(rate)),
        coming,
      );
      const until = begun.at(-1) ?? 0;
      const most = earliest(of, 2 * begun.length, 0).filter((at) => at < until).length;
      assert.ok(begun.length >= 0.95 * most, `${begun.length} of ${most}`);
    }),
    { seed, numRuns: 40 },
  );
});

test('with merged entries a window does not exceed its rate either, and uses 95 % of it under load', () => {
  const coarse = fc.record({ most: fc.integer({ min: 50, max: 400 }), ms: fc.integer({ min: 2_000, max: 9_000 }) });
  const gaps = fc.array(fc.record({ gap: fc.integer({ min: 0, max: 30 }), delay }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(coarse, gaps, (rate: Rate, coming) => {
      const loaded = Array.from({ length: 20 * rate.most }, () => ({ ...steady, gap: 0, delay: 0 }));
      const log = createWindowLog(rate, 40);
      const all = [...coming.map((each) => ({ ...steady, ...each })), ...loaded];
      const { begun } = play([log], all);
      assert.is(excess(begun, rate), undefined);
      const [from = 0, until = 0] = [begun.at(-10 * rate.most), begun.at(-1)];
      const most = ((until - from) / rate.ms) * rate.most;
      assert.ok(10 * rate.most >= 0.95 * most, `${10 * rate.most} of ${most}`);
    }),
    { seed, numRuns: 30 },
  );
});

test('a clock set back counts earlier beginnings as now', () => {
  const log = createWindowLog({ most: 2, ms: 100 });
  for (const at of [10_000, 10_050]) {
    log.take();
    log.begin(at);
  }
  assert.is(log.wait(10_060), 40);
  assert.is(log.wait(3_000), 100);
  assert.is(log.wait(3_099), 1);
  assert.is(log.wait(3_100), 0);
});

test('one that begins when the clock has just been put back ages for itself', () => {
  const log = createWindowLog({ most: 3, ms: 100 });
  for (const at of [10_000, 3_000, 3_050]) {
    log.take();
    log.begin(at);
  }
  assert.is(log.wait(3_060), 40);
});

test('while none has begun of those that fill the window, no time makes room', () => {
  const log = createWindowLog({ most: 2, ms: 100 });
  log.take();
  assert.is(log.wait(0), 0);
  log.take();
  assert.is(log.wait(1_000), Number.POSITIVE_INFINITY);
  log.begin(1_000);
  assert.is(log.wait(1_030), 70);
  log.giveBack();
  assert.is(log.wait(1_030), 0);
});

test.run();
