import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseDate } from '../../../src/language/date/parse-date.js';

/** A Thursday, the 29th of February. */
const now = Date.parse('2024-02-29T10:30:15.250Z');

const understood = [
  // absolute, as docs/02-login.md#expiry writes them
  ['2017-12-12 12:20:17', '2017-12-12T12:20:17Z'],
  ['2024-05-01', '2024-05-01T00:00:00Z'],
  ['5 May 69', '2069-05-05T00:00:00Z'],
  ['5 May 70', '1970-05-05T00:00:00Z'],
  ['5 May 123', '0123-05-05T00:00:00Z'],
  ['  2024-05-01  ', '2024-05-01T00:00:00Z'],
  ['2024-05-01T10:00:00Z', '2024-05-01T10:00:00Z'],
  ['2024-05-01T10:00', '2024-05-01T10:00:00Z'],
  ['2024-05-01 10:00:00Z', '2024-05-01T10:00:00Z'],
  ['2024-05-01 10:00:00 Z', '2024-05-01T10:00:00Z'],
  ['2024-05-01T10:00:00.5Z', '2024-05-01T10:00:00.500Z'],
  ['2024-05-01T10:00:00.123456789Z', '2024-05-01T10:00:00.123Z'],
  ['2024-05-01T10:00:00,123+02:00', '2024-05-01T08:00:00.123Z'],
  ['2024-05-01T10:00:00+0200', '2024-05-01T08:00:00Z'],
  ['2024-05-01 10:00:00 -03:30', '2024-05-01T13:30:00Z'],
  ['2024-05-01 10:00:00-03:30', '2024-05-01T13:30:00Z'],
  ['1 May 2024 10:00 PM -03:30', '2024-05-02T01:30:00Z'],
  ['2024-05-01 10:00:00 +02', '2024-05-01T08:00:00Z'],
  ['2024/05/01 10:00', '2024-05-01T10:00:00Z'],
  ['Wed, 21 Oct 2015 07:28:00 GMT', '2015-10-21T07:28:00Z'],
  ['Wednesday, 21-Oct-15 07:28:00 GMT', '2015-10-21T07:28:00Z'],
  ['Wed Oct 21 07:28:00 2015', '2015-10-21T07:28:00Z'],
  ['Wed Oct 21 07:28:00 +0200 2015', '2015-10-21T05:28:00Z'],
  ['Wed Oct 21 2015 09:28:00 GMT+0200 (Central European Summer Time)', '2015-10-21T07:28:00Z'],
  ['May 1, 2024', '2024-05-01T00:00:00Z'],
  ['1 May 2024 10pm', '2024-05-01T22:00:00Z'],
  ['10/21/2015 7:28:00 PM', '2015-10-21T19:28:00Z'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  // day first before a dot or a dash, month first before a slash, as PHP
  ['5.6.2024', '2024-06-05T00:00:00Z'],
  ['05-06-2024 10:00', '2024-06-05T10:00:00Z'],
  ['05/06/2024', '2024-05-06T00:00:00Z'],
  ['21 October', '2024-10-21T00:00:00Z'],
  // zones by name
  ['2024-05-01 10:00 Europe/Prague', '2024-05-01T08:00:00Z'],
  ['2024-12-01 10:00 Europe/Prague', '2024-12-01T09:00:00Z'],
  ['2024-05-01 10:00 America/Argentina/Buenos_Aires', '2024-05-01T13:00:00Z'],
  ['2024-05-01T10:00:00+02:00[Europe/Prague]', '2024-05-01T08:00:00Z'],
  ['2024-05-01 Europe/Prague', '2024-04-30T22:00:00Z'],
  ['2024-05-01 10:00 CEST', '2024-05-01T08:00:00Z'],
  ['2024-05-01 10:00 CET', '2024-05-01T09:00:00Z'],
  ['2024-05-01 10:00:00 PST', '2024-05-01T18:00:00Z'],
  ['2024-05-01 10:00 UTC', '2024-05-01T10:00:00Z'],
  // relative, as PHP counts
  ['now', '2024-02-29T10:30:15.250Z'],
  ['-0 second', '2024-02-29T10:30:15.250Z'],
  ['+1 hour', '2024-02-29T11:30:15.250Z'],
  ['1 hour', '2024-02-29T11:30:15.250Z'],
  ['in 2 hours', '2024-02-29T12:30:15.250Z'],
  ['now +90 min', '2024-02-29T12:00:15.250Z'],
  ['-1 day', '2024-02-28T10:30:15.250Z'],
  ['1 day 2 hours ago', '2024-02-28T08:30:15.250Z'],
  ['+1 week 2 days', '2024-03-09T10:30:15.250Z'],
  ['+1 year', '2025-03-01T10:30:15.250Z'],
  ['next month', '2024-03-29T10:30:15.250Z'],
  ['first day of next month', '2024-03-01T10:30:15.250Z'],
  ['last day of this month midnight', '2024-02-29T00:00:00Z'],
  ['today', '2024-02-29T00:00:00Z'],
  ['midnight', '2024-02-29T00:00:00Z'],
  ['tomorrow', '2024-03-01T00:00:00Z'],
  ['Tomorrow 14:30', '2024-03-01T14:30:00Z'],
  ['tomorrow noon', '2024-03-01T12:00:00Z'],
  ['yesterday', '2024-02-28T00:00:00Z'],
  ['tomorrow Europe/Prague', '2024-02-29T23:00:00Z'],
  ['10:00', '2024-02-29T10:00:00Z'],
  ['24:00', '2024-03-01T00:00:00Z'],
  ['11:30:15.5 pm', '2024-02-29T23:30:15.500Z'],
  ['12:05 am', '2024-02-29T00:05:00Z'],
  ['thursday', '2024-02-29T00:00:00Z'],
  ['next thursday', '2024-03-07T00:00:00Z'],
  ['next mon', '2024-03-04T00:00:00Z'],
  ['last friday', '2024-02-23T00:00:00Z'],
  ['2024-05-01 +1 day', '2024-05-02T00:00:00Z'],
  ['2024-01-31 +1 month', '2024-03-02T00:00:00Z'],
  ['2024-05-01 10:00 +1 hour', '2024-05-01T11:00:00Z'],
  ['2024-03-30 02:30 Europe/Prague +1 day', '2024-03-31T01:30:00Z'],
  ['2024-02-30', '2024-03-01T00:00:00Z'],
  ['Friday, 28 February 2024', '2024-03-01T00:00:00Z'],
  ['2024-W05-1', '2024-01-29T00:00:00Z'],
  ['tomorrow 2024-05-01', '2024-05-02T00:00:00Z'],
  ['next week', '2024-03-04T10:30:15.250Z'],
  ['+2 weekdays', '2024-03-04T10:30:15.250Z'],
  ['20240501T100000Z', '2024-05-01T10:00:00Z'],
  ['8 a.m. CEST', '2024-02-29T06:00:00Z'],
  // PHP's forms as others write around them
  ['19 Apr 8 a.m.', '2024-04-19T08:00:00Z'],
  ['19 Apr 8 p.m. CEST', '2024-04-19T18:00:00Z'],
  ['in 1 month', '2024-03-29T10:30:15.250Z'],
  ['2024-05-01 in 2 days', '2024-05-03T00:00:00Z'],
  ['2024-05-01 10:00:00,5 Europe/Prague', '2024-05-01T08:00:00.500Z'],
  ['2024-05-01 10:00:00,5 days', '2024-05-06T10:00:00Z'],
] as const;

for (const [text, expected] of understood) {
  test(`understands ${JSON.stringify(text)}`, () => {
    const at = parseDate(text, now);
    assert.is(at === undefined ? undefined : new Date(at).toISOString(), new Date(expected).toISOString());
  });
}

const refused = [
  '',
  ' ',
  'never',
  'valid until 2024-05-01',
  '2024-05-01 or so',
  '2024-05-01 10:61',
  '2024-05-01 10h',
  '2024-05-01T25:00:00Z',
  '2017-20-12 12:20:17',
  '2024-05-01 to 2024-05-03',
  '2024-05-01 10:00 Europe/Nowhere',
  '2024-05-01 10:00 XYZ',
  '2024-05-01 2024-05-02',
  'Europe/Prague',
  'UTC',
  'Z',
  '-',
  'Europe/Prague +02:00',
  'noon 10:00',
  '1 hour after lunch',
  '3 days after 2024-05-01',
  '99:00',
  'a1b2c3d435f6',
  ` ${'1'.repeat(1_000_000)} ${' '.repeat(1_000_000)}hour`,
];

for (const text of refused) {
  test(`does not guess at ${JSON.stringify(text.slice(0, 60))}`, () => {
    assert.is(parseDate(text, now), undefined);
  });
}

test('the zone of the machine changes nothing', () => {
  const before = process.env.TZ;
  try {
    for (const zone of ['America/New_York', 'Asia/Kolkata']) {
      process.env.TZ = zone;
      for (const [text, expected] of understood)
        assert.is(parseDate(text, now), Date.parse(expected), `${text} in ${zone}`);
    }
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

test.run();
