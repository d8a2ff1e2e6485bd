import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clock, counted, grouped, size } from '../../../src/tools/text/format.js';

const sizes = [
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 kB'],
  [4_100_000, '4.1 MB'],
  [999_949, '999.9 kB'],
  [999_950, '1.0 MB'],
  [12_345_678_901, '12.3 GB'],
  [5e15, '5000.0 TB'],
] as const;

for (const [bytes, text] of sizes) test(`${bytes} bytes are ${text}`, () => assert.is(size(bytes), text));

const numbers = [
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [1234567, '1,234,567'],
] as const;

for (const [value, text] of numbers) test(`${value} is grouped as ${text}`, () => assert.is(grouped(value), text));

test('one is singular, none and many are plural', () => {
  assert.equal(
    [0, 1, 12000].map((value) => counted(value, 'page')),
    ['0 pages', '1 page', '12,000 pages'],
  );
});

const spans = [
  [0, '0:00'],
  [999, '0:00'],
  [12_345, '0:12'],
  [723_000, '12:03'],
  [3_599_999, '59:59'],
  [3_723_000, '1:02:03'],
  [90_000_000, '25:00:00'],
  [-1, '0:00'],
] as const;

for (const [ms, text] of spans) test(`${ms} ms are ${text}`, () => assert.is(clock(ms), text));

test.run();
