import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Distribution, SeriesMap } from '../../../src/run/metrics/points.js';

test('a value belongs to the first bucket whose bound is not below it', () => {
  const times = new Distribution([1, 5]);
  for (const value of [0, 1, 2, 5, 6]) times.add(value);
  assert.equal([times.counts, times.count, times.sum], [[2, 2, 1], 5, 14]);
});

test('a series is made once', () => {
  const series = new SeriesMap(() => 0);
  for (const key of ['a', 'b', 'a']) series.of(key, () => ({ key })).value += 1;
  assert.equal(
    series.all().map(({ attributes, value }) => [attributes, value]),
    [
      [{ key: 'a' }, 2],
      [{ key: 'b' }, 1],
    ],
  );
});

test.run();
