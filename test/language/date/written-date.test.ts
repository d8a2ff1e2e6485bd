import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExactNumber } from '../../../src/core/json/exact.js';
import { formNamed, readAnyDate, readWrittenDate } from '../../../src/language/date/written-date.js';

const later = (ms: number, text: string, isNumber = false) => {
  const date = readWrittenDate(text, isNumber);
  return date === undefined ? undefined : date.form.write(date.at + ms);
};

const forms: readonly (readonly [text: string, resolution: number, hourLater: string])[] = [
  ['2026-01-01T10:00', 60_000, '2026-01-01T11:00'],
  ['2026-01-01 10:00:30-05:30', 1000, '2026-01-01 11:00:30-05:30'],
  ['2026-01-01T10:00:30.5Z', 100, '2026-01-01T11:00:30.5Z'],
  ['2026-01-01T10:00:30.123456+02', 1, '2026-01-01T11:00:30.123000+02'],
  ['2026-01-01', 86_400_000, '2026-01-01'],
  ['1767225600', 1000, '1767229200'],
  ['1767225600000', 1, '1767229200000'],
];

for (const [text, resolution, hourLater] of forms) {
  test(`an hour after ${text} is written in its form`, () => {
    assert.is(readWrittenDate(text, false)?.form.resolution, resolution);
    assert.is(later(3_600_000, text), hourLater);
  });
}

test('a number stays a number', () => assert.equal(later(1000, '1767225600', true), new ExactNumber('1767225601')));

test('other texts have no form', () => {
  for (const text of ['tomorrow', '2026-13-01', '2026-01-01T10', '1.5', '']) {
    assert.is(readWrittenDate(text, false), undefined);
  }
  assert.is(readAnyDate('1 January 2026', 0), Date.UTC(2026, 0, 1));
});

const named: readonly (readonly [format: string, resolution: number, written: unknown])[] = [
  ['seconds', 1000, new ExactNumber('1767225600')],
  ['U', 1000, new ExactNumber('1767225600')],
  ['milliseconds', 1, new ExactNumber('1767225600000')],
  ['Y-m-d H:i:s', 1000, '2026-01-01 00:00:00'],
  ['c', 1000, '2026-01-01T00:00:00+00:00'],
  ['d/m/Y H:i', 60_000, '01/01/2026 00:00'],
  ['Y-m-d\\TH', 3_600_000, '2026-01-01T00'],
  ['d.m.Y', 86_400_000, '01.01.2026'],
  ['\\s\\i\\H Y', 86_400_000, 'siH 2026'],
];

for (const [format, resolution, written] of named) {
  test(`${format} has a resolution of ${resolution} ms`, () => {
    const form = formNamed(format);
    assert.equal([form.resolution, form.write(Date.UTC(2026, 0, 1))], [resolution, written]);
  });
}

test.run();
