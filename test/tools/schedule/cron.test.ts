/** Cron expressions: the times that they name, also where clocks change, and what is none. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readSchedule } from '../../../src/tools/schedule/cron.js';
import { rejection } from '../../sinks/lib.js';

/** Runs work with the process in a time zone. */
function inZone(zone: string, work: () => void): void {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    work();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

/** The next times after a moment, without their zero seconds. */
function timesOf(text: string, after: string, count: number): readonly string[] {
  const schedule = readSchedule(text);
  const times: string[] = [];
  for (let at = Date.parse(after); times.length < count; ) {
    at = schedule.next(at);
    times.push(new Date(at).toISOString().replace(':00.000Z', 'Z'));
  }
  return times;
}

const table: readonly (readonly [text: string, after: string, times: readonly string[]])[] = [
  ['*/15 * * * *', '2026-11-27T00:44:59.999Z', ['2026-11-27T00:45Z', '2026-11-27T01:00Z', '2026-11-27T01:15Z']],
  ['*/15 * * * *', '2026-11-27T00:45:00Z', ['2026-11-27T01:00Z']],
  ['30 4 * * *', '2026-12-31T05:00:00Z', ['2027-01-01T04:30Z', '2027-01-02T04:30Z']],
  ['0 9-17/4 * * mon-fri', '2026-11-27T10:00:00Z', ['2026-11-27T13:00Z', '2026-11-27T17:00Z', '2026-11-30T09:00Z']],
  ['5/20 0 * * *', '2026-11-27T00:00:00Z', ['2026-11-27T00:05Z', '2026-11-27T00:25Z', '2026-11-27T00:45Z']],
  ['0 0 1,15 * *', '2026-11-15T00:00:00Z', ['2026-12-01T00:00Z', '2026-12-15T00:00Z']],
  ['0 0 13 * FRI', '2026-11-07T00:00:00Z', ['2026-11-13T00:00Z', '2026-11-20T00:00Z']],
  ['0 0 */10 * 1', '2026-11-01T00:00:00Z', ['2026-12-21T00:00Z']],
  ['0 0 * * 7', '2026-11-27T00:00:00Z', ['2026-11-29T00:00Z', '2026-12-06T00:00Z']],
  ['0 0 * * 5-7', '2026-11-27T00:00:00Z', ['2026-11-28T00:00Z', '2026-11-29T00:00Z', '2026-12-04T00:00Z']],
  ['0 0 29 feb *', '2026-11-27T00:00:00Z', ['2028-02-29T00:00Z', '2032-02-29T00:00Z']],
  ['0 0 29 2 *', '2096-03-01T00:00:00Z', ['2104-02-29T00:00Z']],
  ['0 0 31 * *', '2026-08-31T00:00:00Z', ['2026-10-31T00:00Z', '2026-12-31T00:00Z']],
  [' @daily ', '2026-11-27T00:00:00Z', ['2026-11-28T00:00Z']],
  ['@hourly', '2026-11-27T23:30:00Z', ['2026-11-28T00:00Z']],
  ['@weekly', '2026-11-27T00:00:00Z', ['2026-11-29T00:00Z']],
  ['@monthly', '2026-11-27T00:00:00Z', ['2026-12-01T00:00Z']],
];

for (const [text, after, times] of table) {
  test(`${text} after ${after}`, () => inZone('UTC', () => assert.equal(timesOf(text, after, times.length), times)));
}

test('hours are those of the time zone of the process', () => {
  inZone('Europe/Berlin', () => {
    assert.equal(timesOf('30 4 * * *', '2026-11-27T00:00:00Z', 1), ['2026-11-27T03:30Z']);
    assert.equal(timesOf('30 4 * * *', '2026-07-27T00:00:00Z', 1), ['2026-07-27T02:30Z']);
  });
});

test('a time that the clocks skip does not occur, and one that they repeat occurs twice', () => {
  inZone('Europe/Berlin', () => {
    assert.equal(timesOf('30 2 * * *', '2026-03-28T12:00:00Z', 1), ['2026-03-30T00:30Z']);
    assert.equal(timesOf('30 2 * * *', '2026-10-24T12:00:00Z', 2), ['2026-10-25T00:30Z', '2026-10-25T01:30Z']);
    assert.equal(timesOf('0 * * * *', '2026-03-29T00:30:00Z', 2), ['2026-03-29T01:00Z', '2026-03-29T02:00Z']);
  });
  inZone('America/Santiago', () => {
    assert.equal(timesOf('0 0 * * *', '2026-09-05T12:00:00Z', 1), ['2026-09-07T03:00Z']);
    assert.equal(timesOf('0 5 6 9 *', '2026-09-05T12:00:00Z', 1), ['2026-09-06T08:00Z']);
  });
});

const wrong: readonly (readonly [text: string, message: RegExp])[] = [
  ['', /^--schedule "": expected five fields: minute hour day month weekday; as in/],
  ['* * * *', /expected five fields/],
  ['0 * * * * *', /expected five fields/],
  ['60 * * * *', /"60" is not a minute, from 0 to 59/],
  ['* 24 * * *', /"24" is not a hour/],
  ['* * 0 * *', /"0" is not a day, from 1 to 31/],
  ['* * * foo *', /"foo" is not a month/],
  ['* * * * 8', /"8" is not a weekday/],
  ['5-1 * * * *', /"5-1" is not a minute/],
  ['1-x * * * *', /"1-x" is not a minute/],
  ['1-2-3 * * * *', /"1-2-3" is not a minute/],
  ['*/0 * * * *', /"\*\/0" is not a minute/],
  ['1,,2 * * * *', /"" is not a minute/],
  ['*/x * * * *', /"\*\/x" is not a minute/],
  ['0 0 30 2 *', /it names no time/],
];

for (const [text, message] of wrong) {
  test(`no schedule: ${text}`, async () => {
    await rejection(() => readSchedule(text), 'ERR_USAGE', message);
  });
}

test.run();
