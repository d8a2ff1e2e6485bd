/** Windows of a range: their bounds, how they are written, and how they split. docs/13-second-run.md#windows. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AskedPart,
  halvesOf,
  isFault,
  literalRange,
  rangeOf,
  type WindowRange,
  windowsIn,
  writeWindow,
} from '../../../src/config/partition/window-range.js';
import type { WindowSettings } from '../../../src/config/partition/windows.js';
import { type Exact, ExactNumber } from '../../../src/core/json/exact.js';
import { mulberry32 } from '../../support/mulberry32.js';

const now = Date.parse('2024-03-10T15:30:20Z');
const number = (text: string) => new ExactNumber(text);

const settings = (given: Partial<WindowSettings>): WindowSettings => ({
  from: '2024-03-01',
  to: 'now',
  step: '7d',
  params: { from: 'start', to: 'end' },
  order: 'asc',
  split: false,
  path: 'windows',
  ...given,
});

function range(given: Partial<WindowSettings>): WindowRange {
  const all = settings(given);
  const made = rangeOf(all, all, now);
  if (isFault(made)) throw new Error(`${made.key}: ${made.message}`);
  return made;
}

const at = (text: string): number => Date.parse(`2024-${text}`);
const shown = (value: Exact) => (typeof value === 'string' ? value : `#${String(value)}`);

/** The windows as they are sent, `start/end`. */
function written(given: Partial<WindowSettings>, part?: AskedPart): string {
  const of = range(given);
  return [...windowsIn(of, given.order ?? 'asc', part)]
    .map((window) => writeWindow(window, of))
    .map(({ from, to }) => `${shown(from)}/${shown(to)}`)
    .join(' ');
}

const rows: readonly (readonly [rule: string, given: Partial<WindowSettings>, expected: string])[] = [
  ['days; today is included', {}, '2024-03-01/2024-03-08 2024-03-08/2024-03-11'],
  ['the last one first', { order: 'desc' }, '2024-03-08/2024-03-11 2024-03-01/2024-03-08'],
  [
    'seconds and a zone',
    { from: '2024-03-10T12:00:00+02:00', step: '4h' },
    '2024-03-10T12:00:00+02:00/2024-03-10T16:00:00+02:00 2024-03-10T16:00:00+02:00/2024-03-10T17:30:20+02:00',
  ],
  [
    'a blank and a fraction',
    { from: '2024-03-10 15:00:00.50', to: '2024-03-10T15:00:01Z', step: '500ms' },
    '2024-03-10 15:00:00.50/2024-03-10 15:00:01.00',
  ],
  [
    'Unix seconds as a number',
    { from: number('1710000000'), to: number('1710000100'), step: '1m' },
    '#1710000000/#1710000060 #1710000060/#1710000100',
  ],
  [
    'Unix ms as text',
    { from: '1710000000000', to: '1710000000002', step: '1ms' },
    '1710000000000/1710000000001 1710000000001/1710000000002',
  ],
  ['a format', { format: 'd.m.Y', to: '2024-03-03', step: '1d' }, '01.03.2024/02.03.2024 02.03.2024/03.03.2024'],
  ['seconds by name', { format: 'seconds', to: '2024-03-02' }, '#1709251200/#1709337600'],
  [
    'a start relative to the run',
    { from: '-2 days midnight', format: 'Y-m-d', step: '1d' },
    '2024-03-08/2024-03-09 2024-03-09/2024-03-10 2024-03-10/2024-03-11',
  ],
  [
    'calendar months from the last day',
    { from: '2024-01-31', to: '2024-03-31', step: '1mo' },
    '2024-01-31/2024-02-29 2024-02-29/2024-03-31',
  ],
  ['years', { from: '2022-02-01', to: '2024-01-01', step: '1y' }, '2022-02-01/2023-02-01 2023-02-01/2024-01-01'],
  ['numbers', { from: number('0'), to: number('25'), step: '10' }, '#0/#10 #10/#20 #20/#25'],
  [
    'an overlap, but not before the start',
    { to: '2024-03-15', overlap: '1d' },
    '2024-03-01/2024-03-08 2024-03-07/2024-03-15',
  ],
  ['ends that are included', { to: '2024-03-15', overlap: '-1d' }, '2024-03-01/2024-03-07 2024-03-08/2024-03-14'],
];
for (const [rule, given, expected] of rows) test(`windows: ${rule}`, () => assert.is(written(given), expected));

const faults: readonly (readonly [rule: string, given: Partial<WindowSettings>, key: string, says: RegExp])[] = [
  ['a start that is no date', { from: 'Monday, 1st' }, 'from', /ISO 8601/],
  ['an end before the start', { to: '2024-02-01' }, 'to', /a later end/],
  ['a step that the form cannot say', { step: '1h' }, 'step', /multiple of 86400 s/],
  ['an overlap as long as the step', { overlap: '-7d' }, 'overlap', /less than the step/],
  ['numbers that are dates', { step: '10' }, 'from', /an integer/],
  [
    'more windows than anyone means',
    { from: '2024-03-01T00:00:00Z', to: '2025-01-01', step: '1s' },
    'step',
    /more than 1000000 windows/,
  ],
  ['with a `format` a start that is no date', { from: 'a while, perhaps', format: 'Y-m-d' }, 'from', /ISO 8601/],
  ['an end that is no date', { to: 'a while, perhaps' }, 'to', /expected a date, or "now"/],
  ['an end that is no integer', { from: '1', to: 'x', step: '5' }, 'to', /expected an integer/],
];
for (const [rule, given, key, says] of faults) {
  test(`a fault: ${rule}`, () => {
    const fault = literalRange(settings(given));
    assert.is(fault?.key, key);
    assert.match(String(fault?.message), says);
  });
}

test('a start that an expression gives, or that is relative, is checked when the run begins', () => {
  assert.is(literalRange(settings({ from: new Map([['attr', 'since']]) })), undefined);
  assert.is(literalRange(settings({ from: '-1 year', to: '2024-01-01', format: 'c' })), undefined);
});

test('windows follow one another, and so do halves, down to the resolution', () => {
  const seed = 20_240_310;
  const random = mulberry32(seed);
  for (let round = 0; round < 200; round += 1) {
    const size = 1 + (random() % 50);
    const of = range({ from: number('5'), to: number(String(6 + (random() % 500))), step: String(size) });
    let at = 5;
    const visit = (window: { readonly from: number; readonly to: number }): void => {
      const halves = halvesOf(window, of);
      if (halves !== undefined) {
        for (const half of halves) visit(half);
        return;
      }
      assert.is(window.from, at, `seed ${seed}`);
      assert.is(window.to, at + 1, `seed ${seed}`);
      at = window.to;
    };
    for (const window of windowsIn(of, 'asc')) visit(window);
    assert.is(at, of.to, `seed ${seed}`);
  }
});

test('bounds that are numbers are sent as numbers, others as texts', () => {
  assert.is(written({ from: number('1'), to: number('7'), step: '5' }), '#1/#6 #6/#7');
  assert.is(written({ from: '1', to: '7', step: '5' }), '1/6 6/7');
});

const parts: readonly (readonly [rule: string, given: Partial<WindowSettings>, part: AskedPart, expected: string])[] = [
  ['from a moment on, on its day', {}, { from: at('03-09T12:00:00Z'), cuts: true }, '2024-03-09/2024-03-11'],
  ['whole windows', {}, { from: at('03-09T12:00:00Z'), cuts: false }, '2024-03-08/2024-03-11'],
  ['up to a moment', {}, { to: at('03-08T00:00:01Z'), cuts: true }, '2024-03-01/2024-03-08 2024-03-08/2024-03-09'],
  ['up to the start of a window', {}, { to: at('03-08T00:00:00Z'), cuts: true }, '2024-03-01/2024-03-08'],
  ['a moment after the range', {}, { from: at('04-01T00:00:00Z'), cuts: true }, '2024-03-08/2024-03-11'],
  ['a moment before it', { order: 'desc' }, { from: 0, cuts: true }, '2024-03-08/2024-03-11 2024-03-01/2024-03-08'],
  ['an end before it', {}, { to: 0, cuts: true }, '2024-03-01/2024-03-08'],
  ['an end before the start', {}, { from: at('03-09T12:00:00Z'), to: 0, cuts: true }, '2024-03-09/2024-03-11'],
  [
    'months, the first one from its middle on',
    { from: '2024-01-31', step: '1mo' },
    { from: at('02-10T00:00:00Z'), cuts: true },
    '2024-02-10/2024-02-29 2024-02-29/2024-03-11',
  ],
  ['a positive overlap', { overlap: '1d' }, { from: at('03-09T12:00:00Z'), cuts: true }, '2024-03-08/2024-03-11'],
];

for (const [rule, given, part, expected] of parts) {
  test(`a part of the range: ${rule}`, () => assert.is(written(given, part), expected));
}

test.run();
