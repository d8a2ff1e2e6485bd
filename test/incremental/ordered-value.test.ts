import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExactNumber } from '../../src/core/json/exact.js';
import { compareValues, numberOfRank, orderedValue } from '../../src/incremental/ordered-value.js';
import { dateIn } from '../../src/language/date/formed-date.js';

const one = 10n ** 30n;

const ranks: readonly (readonly [value: unknown, order: string, rank: bigint])[] = [
  ['7', 'number', 7n * one],
  [new ExactNumber('-2.5'), 'number', (-5n * one) / 2n],
  ['1e3', 'number', 1000n * one],
  ['15e-31', 'number', 1n],
  ['1.5e-40', 'number', 0n],
  ['1970-01-01T00:00:01.5Z', 'date', (3n * one) / 2n],
  ['1970-01-01', 'date', 0n],
  ['soon', 'text', 0n],
];

for (const [value, order, rank] of ranks) {
  test(`${String(value)} is a ${order} of its rank`, () => {
    const found = orderedValue(value);
    assert.equal([found?.order, found?.rank], [order, rank]);
  });
}

test('no other values are put in order, nor those of another order', () => {
  for (const value of [null, true, new Map(), ['1'], undefined]) assert.is(orderedValue(value), undefined);
  assert.is(orderedValue('soon', 'number'), undefined);
  assert.is(orderedValue('7', 'date'), undefined);
  assert.is(orderedValue(new ExactNumber('7'), 'date'), undefined);
});

test('texts are compared by their characters, and numbers by their size', () => {
  const compare = (a: string, b: string, order?: 'text') => {
    const [first, second] = [orderedValue(a, order), orderedValue(b, order)];
    return first === undefined || second === undefined ? undefined : compareValues(first, second);
  };
  assert.equal([compare('9', '10'), compare('10', '9'), compare('9', '9.0')], [-1, 1, 0]);
  assert.equal([compare('9', '10', 'text'), compare('10', '9', 'text'), compare('9', '9', 'text')], [1, -1, 0]);
});

test('a rank is written with so many digits, rounded down below zero too', () => {
  const rank = (-5n * one) / 2n;
  assert.equal([numberOfRank(rank, 0), numberOfRank(rank, 1), numberOfRank(one / 20n, 2)], ['-3', '-2.5', '0.05']);
  assert.equal([numberOfRank(-2n * one, 0), numberOfRank(one / 20n, 0)], ['-2', '0']);
});

test('there is no date of a day that does not exist', () => {
  for (const text of ['2026-02-30', '2026-13-01', '2026-01-32T00:00:00Z', 'January'])
    assert.is(dateIn(text), undefined);
  assert.is(dateIn('2016-12-31T23:59:60Z')?.rank, dateIn('2017-01-01')?.rank);
});

const moments = [
  ['2026-01-01T00:00:00-05:30', '2025-12-31T23:59:59-05:30'],
  ['1969-12-31T23:59:59.25Z', '1969-12-31T23:59:58.25Z'],
  ['2026-01-01 00:00', '2025-12-31 23:59'],
  ['2026-01-01T00:00:00,5+0100', '2025-12-31T23:59:59,5+0100'],
  ['1970-01-01', '1969-12-31'],
] as const;

for (const [text, before] of moments) {
  test(`a second before ${text} is written in its form`, () => {
    const date = dateIn(text);
    assert.is(date?.write(date.rank - one), before);
  });
}

test.run();
