import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../src/core/errors/errors.js';
import { ExactNumber } from '../../src/core/json/exact.js';
import { valueBy } from '../../src/core/options/read-options.js';
import { type Distance, distance, lessBy, rankOfMoment, writtenDistance } from '../../src/incremental/distance.js';
import { type OrderedValue, orderedValue, type ValueOrder } from '../../src/incremental/ordered-value.js';

const ordered = (value: string | ExactNumber, order?: ValueOrder): OrderedValue => {
  const found = orderedValue(value, order);
  if (found === undefined) throw new Error(`${value} is in no order`);
  return found;
};

const given = (value: unknown): Distance => {
  const read = valueBy(distance, value, 'document');
  if (read.mismatch !== undefined) throw new Error(read.mismatch.expected);
  return read.value;
};

test('a distance is a number from 0 up, or a time', () => {
  assert.equal(given(new ExactNumber('1.50')), { text: '1.50' });
  assert.equal(given('2e3'), { text: '2e3' });
  assert.equal(given('1h30m'), { text: '1h30m', ms: 5_400_000 });
  for (const wrong of [new ExactNumber('-1'), '-1', 'a while', true, null]) assert.throws(() => given(wrong), 'a time');
});

const earlier: readonly (readonly [value: string | ExactNumber, by: string, found: string])[] = [
  ['10.5', '0.25', '10.2'],
  ['-1', '2', '-3'],
  [new ExactNumber('42'), '2', '42 less'],
  ['1767225600', '1m', '1767225540'],
  ['1767225600000000', '1s', '1767225599000000'],
  ['1767225600000000000', '1s', '1767225599000000000'],
  ['2026-01-01', '1d', '2025-12-31'],
];

for (const [value, by, found] of earlier) {
  test(`${value} less ${by} has the form of the value`, () => {
    const less = lessBy(ordered(value), given(by));
    if (typeof value === 'string') assert.is(less, found);
    else assert.ok(less instanceof ExactNumber && less.text === '40');
  });
}

const refused: readonly (readonly [value: OrderedValue, by: string, why: string])[] = [
  [ordered('a'), '1', 'texts have no distance'],
  [ordered('42'), '15m', 'no dates and no Unix times'],
];

for (const [value, by, why] of refused) {
  test(`${by} cannot be subtracted from ${String(value.sent)}: ${why}`, () =>
    assert.throws(
      () => lessBy(value, given(by)),
      (thrown: unknown) => thrown instanceof ExtractError && thrown.message.includes(why),
    ));
}

test('a moment has a rank in the unit of dates and of Unix times, and in no other', () => {
  const one = 10n ** 30n;
  assert.is(rankOfMoment(2500, ordered('2026-01-01')), (5n * one) / 2n);
  assert.is(rankOfMoment(2500, ordered('1767225600')), (5n * one) / 2n);
  assert.is(rankOfMoment(2500, ordered('1767225600000')), 2500n * one);
  assert.is(rankOfMoment(2500, ordered('42')), undefined);
  assert.is(rankOfMoment(2500, ordered('2026-01-01', 'text')), undefined);
});

const late: readonly (readonly [from: string, to: string, written: string | undefined])[] = [
  ['2026-01-01', '2026-01-02T01:01:01Z', '1d1h1m1s'],
  ['2026-01-01', '2026-01-01', '0s'],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.1Z', '1s'],
  ['1767225600', '1767225660', '1m'],
  ['37', '42', '5'],
  ['a', 'b', undefined],
];

for (const [from, to, written] of late) {
  test(`${from} is ${written ?? 'no distance'} before ${to}`, () =>
    assert.is(writtenDistance(ordered(from), ordered(to)), written));
}

test.run();
