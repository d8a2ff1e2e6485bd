import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { doubleOf, holdsForm, joinedForm, type NumberForm, numberForm } from '../../../sinks/tables/number-forms.js';

const cases: readonly (readonly [text: string, whole: number, scale: number, fitsDouble: boolean])[] = [
  ['0', 0, 0, true],
  ['-0.0', 0, 1, true],
  ['0e5', 0, 0, true],
  ['7', 1, 0, true],
  ['-12.50', 2, 2, true],
  ['0.05', 0, 2, true],
  ['1e3', 4, 0, true],
  ['1.5E-3', 0, 4, true],
  ['120e-1', 2, 1, true],
  ['9007199254740992', 16, 0, true],
  ['9007199254740993', 16, 0, false],
  ['0.1234567890123456', 0, 16, true],
  ['0.12345678901234567890', 0, 20, false],
  ['1e300', 301, 0, true],
  ['1e309', 310, 0, false],
  ['1e-400', 0, 400, false],
  ['0e-400', 0, 400, true],
  ['0.000e400', 0, 0, true],
  ['1e99999999999', 1_000_001, 0, false],
];

for (const [text, whole, scale, fitsDouble] of cases) {
  test(`the form of ${text}`, () => {
    assert.equal(numberForm(text), { whole, scale, fitsDouble });
  });
}

test('a joined form holds both, and neither holds what the other has more', () => {
  const one: NumberForm = { whole: 3, scale: 1, fitsDouble: true };
  const other: NumberForm = { whole: 1, scale: 2, fitsDouble: false };
  const both = joinedForm(one, other);
  assert.equal(both, { whole: 3, scale: 2, fitsDouble: false });
  assert.equal(
    [holdsForm(both, one), holdsForm(both, other), holdsForm(one, other), holdsForm(other, one)],
    [true, true, false, false],
  );
});

test('a double holds a number if its shortest text is the same number', () => {
  const held = [
    '0.1',
    '0.10',
    '-0',
    '0.0',
    '1e3',
    '5e-324',
    '9007199254740993',
    '1e400',
    '12345678901234567890',
    '-1.50',
  ];
  assert.equal(
    held.filter((text) => doubleOf(text) !== undefined),
    ['0.1', '0.10', '-0', '0.0', '1e3', '5e-324', '-1.50'],
  );
});

test.run();
