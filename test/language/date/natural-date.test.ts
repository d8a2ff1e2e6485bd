import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { naturalDate } from '../../../src/language/date/natural-date.js';
import { parseDate } from '../../../src/language/date/parse-date.js';

/** A Thursday, the 29th of February. */
const now = Date.parse('2024-02-29T10:30:15.250Z');

const understood = [
  // counted from now, in words
  ['in two weeks', '2024-03-14T10:30:15.250Z'],
  ['in three months', '2024-05-29T10:30:15.250Z'],
  ['in a year', '2025-03-01T10:30:15.250Z'],
  ['2 weeks from now', '2024-03-14T10:30:15.250Z'],
  ['half an hour from now', '2024-02-29T11:00:15.250Z'],
  ['1 day and 2 hours from now', '2024-03-01T12:30:15.250Z'],
  ['in 1.5 hours', '2024-02-29T12:00:15.250Z'],
  ['within 2 hours', '2024-02-29T12:30:15.250Z'],
  ['two days ago', '2024-02-27T10:30:15.250Z'],
  ['in two weeks at 10:00', '2024-03-14T10:00:00Z'],
  ['the day after tomorrow', '2024-03-02T00:00:00Z'],
  // weekdays: the one that PHP means
  ['next Friday at noon', '2024-03-01T12:00:00Z'],
  ['noon on Friday', '2024-03-01T12:00:00Z'],
  ['Thursday at 5pm', '2024-02-29T17:00:00Z'],
  ['next Thursday at 5pm', '2024-03-07T17:00:00Z'],
  ['last Thursday at 5pm', '2024-02-22T17:00:00Z'],
  ['on Monday', '2024-03-04T00:00:00Z'],
  ['Friday next week at noon', '2024-03-08T12:00:00Z'],
  // days and times in sentences
  ['tomorrow at 10:00', '2024-03-01T10:00:00Z'],
  ['tonight at 10pm', '2024-02-29T22:00:00Z'],
  ['at 12:30 pm', '2024-02-29T12:30:00Z'],
  ['at 10:00', '2024-02-29T10:00:00Z'],
  ['5 May 2024 at midnight', '2024-05-05T00:00:00Z'],
  ['the 5th of May 2024', '2024-05-05T00:00:00Z'],
  ['twenty-first of May 2024', '2024-05-21T00:00:00Z'],
  ['Sunday, the 5th of May 2024, at 5:00', '2024-05-05T05:00:00Z'],
  ['21 October at 10:00:00.5', '2024-10-21T10:00:00.500Z'],
  ['21 October at 10:00:00,123456', '2024-10-21T10:00:00.123Z'],
  // in digits: day first before a dot, month first before a slash unless it can be none
  ['5.6.2024 at 10:00', '2024-06-05T10:00:00Z'],
  ['05-06-2024 at 10:00', '2024-06-05T10:00:00Z'],
  ['05/06/2024 at 10:00', '2024-05-06T10:00:00Z'],
  ['31/12/2024', '2024-12-31T00:00:00Z'],
  // zones
  ['next Friday at noon Europe/Prague', '2024-03-01T11:00:00Z'],
  ['next  Friday at noon UTC', '2024-03-01T12:00:00Z'],
  ['tomorrow at 10:00 EST', '2024-03-01T15:00:00Z'],
  ['tomorrow at 10:00 CET', '2024-03-01T09:00:00Z'],
  ['1st of July 2024 at 10:00 CET', '2024-07-01T09:00:00Z'],
  ['tomorrow at 10:00 -03:30', '2024-03-01T13:30:00Z'],
  ['8th of May 2024Z', '2024-05-08T00:00:00Z'],
] as const;

for (const [text, expected] of understood) {
  test(`reads ${JSON.stringify(text)}`, () => {
    const at = naturalDate(text, now);
    assert.is(at === undefined ? undefined : new Date(at).toISOString(), new Date(expected).toISOString());
    assert.is(parseDate(text, now), at);
  });
}

const refused = [
  // no number, no hour, or which half of the day
  'in a few days',
  'several weeks from now',
  'in about two hours',
  'tonight',
  'tomorrow evening',
  'last night',
  'end of the month',
  'tomorrow at 5',
  // no day
  'in May',
  'next weekend at noon',
  // counted from another moment
  '3 days after 2024-05-01',
  '2 hours before tomorrow at noon',
  '2 hours from tomorrow',
  '21 October at 10:00 +2 days',
  // spans of time, and rests that were not understood
  '2024-05-01 to 2024-05-03',
  'Monday at 10:00 to 11:00',
  'valid until 2024-05-01',
  'tomorrow at 10:00 or so',
  'past Friday at noon',
  // digits that chrono-node would turn round
  '2017-20-12 at 12:20:17',
  '5.6.24 at 10:00',
  '30 February 2024 at 10:00',
];

for (const text of refused) {
  test(`does not guess at ${JSON.stringify(text)}`, () => assert.is(naturalDate(text, now), undefined));
}

/** Where the clock of a machine is put forward in these hours, its wall time of now does not exist. */
test('the zone of the machine changes nothing, nor does its summer time', () => {
  const before = process.env.TZ;
  try {
    for (const zone of ['America/New_York', 'Asia/Kolkata']) {
      process.env.TZ = zone;
      for (const [text, expected] of understood)
        assert.is(naturalDate(text, now), Date.parse(expected), `${text} in ${zone}`);
      const at = Date.parse('2024-03-10T02:30:00Z');
      assert.is(naturalDate('in two hours', at), at + 7_200_000, zone);
      assert.is(naturalDate('in two weeks', at), at + 14 * 86_400_000, zone);
      const eve = Date.parse('2024-03-09T10:30:00Z');
      assert.is(naturalDate('in 14 hours', eve), eve + 14 * 3_600_000, zone);
      const after = Date.parse('2024-03-10T10:30:00Z');
      assert.is(naturalDate('10 hours ago', after), after - 10 * 3_600_000, zone);
    }
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
});

test.run();
