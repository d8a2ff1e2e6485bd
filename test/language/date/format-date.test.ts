import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatDate } from '../../../src/language/date/format-date.js';

const all = 'd D j l N S w z W F m M n t L o y Y a A B g G h H i s u v e I O P p T Z c r U';

/** As PHP writes them. */
const moments = [
  [
    1_492_674_974,
    '20 Thu 20 Thursday 4 th 4 109 16 April 04 Apr 4 30 0 2017 17 2017 am AM 372 7 7 07 07 56 14 000000 000 UTC 0 +0000 +00:00 Z UTC 0 2017-04-20T07:56:14+00:00 Thu, 20 Apr 2017 07:56:14 +0000 1492674974',
  ],
  [
    -1,
    '31 Wed 31 Wednesday 3 st 3 364 01 December 12 Dec 12 31 0 1970 69 1969 pm PM 041 11 23 11 23 59 59 000000 000 UTC 0 +0000 +00:00 Z UTC 0 1969-12-31T23:59:59+00:00 Wed, 31 Dec 1969 23:59:59 +0000 -1',
  ],
  [
    951_820_215,
    '29 Tue 29 Tuesday 2 th 2 59 09 February 02 Feb 2 29 1 2000 00 2000 am AM 479 10 10 10 10 30 15 000000 000 UTC 0 +0000 +00:00 Z UTC 0 2000-02-29T10:30:15+00:00 Tue, 29 Feb 2000 10:30:15 +0000 951820215',
  ],
  [
    4_102_444_800,
    '01 Fri 1 Friday 5 st 5 0 53 January 01 Jan 1 31 0 2099 00 2100 am AM 041 12 0 12 00 00 00 000000 000 UTC 0 +0000 +00:00 Z UTC 0 2100-01-01T00:00:00+00:00 Fri, 01 Jan 2100 00:00:00 +0000 4102444800',
  ],
] as const;

for (const [seconds, expected] of moments) {
  test(`every letter of ${seconds}`, () => {
    assert.is(formatDate(all, seconds), expected);
  });
}

const cases = [
  ['', 0, ''],
  ['Y-m-d H:i:s:u', 1_492_674_974, '2017-04-20 07:56:14:000000'],
  ['\\Y\\e\\a\\r: Y', 0, 'Year: 1970'],
  ['Y\\\\m', 0, '1970\\01'],
  ['Y\\', 0, '1970'],
  ['k q é !', 0, 'k q é !'],
  ['jS', 86_400, '2nd'],
  ['jS', 2 * 86_400, '3rd'],
  ['jS', 10 * 86_400, '11th'],
  ['jS', 11 * 86_400, '12th'],
  ['jS', 12 * 86_400, '13th'],
  ['jS', 20 * 86_400, '21st'],
  ['jS', 22 * 86_400, '23rd'],
  ['g A', 12 * 3600, '12 PM'],
  ['N w', 3 * 86_400, '7 0'],
  ['B', 82_800, '000'],
  ['B', -3601, '999'],
  ['o-W', Date.UTC(2021, 0, 3) / 1000, '2020-53'],
  ['o-W', Date.UTC(2024, 11, 30) / 1000, '2025-01'],
  ['Y y', Date.UTC(2024, 0, 1) / 1000 - 86_400, '2023 23'],
  ['L L', Date.UTC(2100, 0, 1) / 1000, '0 0'],
  ['Y', -62_135_596_800, '0001'],
  ['Y', -62_198_755_200, '-0001'],
] as const;

for (const [format, seconds, expected] of cases) {
  test(`${JSON.stringify(format)} of ${seconds} is ${JSON.stringify(expected)}`, () => {
    assert.is(formatDate(format, seconds), expected);
  });
}

test.run();
