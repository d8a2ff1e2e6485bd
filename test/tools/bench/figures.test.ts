/** Medians, quartiles, histograms and the clock of phases: figures from figures, without time. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { figureTexts, inMs } from '../../../src/tools/bench/figures.js';
import { createLatencies } from '../../../src/tools/bench/latencies.js';
import { median, quartiles, rounded } from '../../../src/tools/bench/numbers.js';
import { createPhaseClock } from '../../../src/tools/bench/phases.js';

test('medians and quartiles lie between neighbours', () => {
  assert.is(median([3, 1, 2]), 2);
  assert.is(median([4, 1, 2, 3]), 2.5);
  assert.is(median([]), 0);
  assert.equal(quartiles([1, 2, 3, 4, 5]), [2, 4]);
  assert.equal(quartiles([7]), [7, 7]);
  assert.is(rounded(1234567.8), 1234570);
});

test('times are shown with three digits', () => {
  assert.equal([0.0414, 1.234, 56.78, 1234.5].map(inMs), ['0.041', '1.23', '56.8', '1,235']);
  assert.equal([1e3, 999e3, 34e6].map(figureTexts.bytesPerSecond.show), ['0.001', '0.999', '34.0']);
});

test('a histogram keeps three digits, and no percentile is above its largest value', () => {
  const times = createLatencies();
  assert.equal(times.percentiles(), { count: 0, p50: 0, p90: 0, p99: 0, max: 0 });
  assert.equal(times.buckets(), []);
  for (let ms = 1; ms <= 100; ms++) times.record(ms * 1e6);
  const { count, p50, p90, p99, max } = times.percentiles();
  assert.is(count, 100);
  for (const [value, wanted] of [
    [p50, 50],
    [p90, 90],
    [p99, 99],
    [max, 100],
  ] as const) {
    assert.ok(Math.abs(value - wanted) <= wanted / 1000, `${value} instead of ${wanted}`);
    assert.ok(value <= max);
  }
});

test('buckets hold every value once', () => {
  const times = createLatencies();
  for (const ms of [0.0001, 1, 1, 10, 7_200_000]) times.record(ms * 1e6);
  const other = createLatencies();
  other.record(1e6);
  times.add(other);
  const buckets = times.buckets();
  assert.is(
    buckets.reduce((sum, [, count]) => sum + count, 0),
    6,
  );
  assert.is(buckets.find(([ms, count]) => ms >= 10 && count > 0)?.[1], 1);
  assert.ok((buckets[0]?.[1] ?? 0) > 0 && (buckets.at(-1)?.[1] ?? 0) > 0);
});

test('each moment counts for the first phase that a page is in', () => {
  let now = 0;
  const clock = createPhaseClock(() => now);
  const pass = (time: number) => {
    now += time;
  };
  pass(5);
  clock.move(undefined, 'waiting');
  pass(10);
  clock.move(undefined, 'receiving');
  pass(20);
  clock.move('receiving', 'scanning');
  clock.move('scanning', 'scanning');
  pass(40);
  clock.move('scanning', undefined);
  pass(80);
  clock.move('waiting', undefined);
  pass(160);
  const { engine, waiting, receiving, scanning, sink } = clock.read();
  assert.equal(
    { engine, waiting, receiving, scanning, sink },
    { engine: 165, waiting: 90, receiving: 20, scanning: 40, sink: 0 },
  );
});

test('rates and times of a run have the digits that tell them apart', () => {
  assert.equal([0.25, 99.94, 100, 12345.6].map(figureTexts.itemsPerSecond.show), ['0.3', '99.9', '100', '12,346']);
  assert.equal([0.5, 9.9994, 10, 123.45].map(figureTexts.seconds.show), ['0.500 s', '9.999 s', '10.0 s', '123.5 s']);
});

test.run();
