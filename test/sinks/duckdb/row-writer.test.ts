import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { columnName, createLeafSlots } from '../../../sinks/duckdb/leaf-slots.js';
import { createSlotRows } from '../../../sinks/duckdb/row-writer.js';
import { kindOfNumber } from '../../../sinks/tables/column-kinds.js';
import { joinedForm, noDigits, numberForm } from '../../../sinks/tables/number-forms.js';
import { batchIn } from './lib.js';

/** Numbers of one column, in their order. */
const columns: readonly (readonly string[])[] = [
  ['0', '-0', '7', '-999', '1000', '5'],
  ['0.5', '12.25', '-0.125', '3.0', '100.5', '0.0001'],
  ['1', '2.5', '3', '10', '20.25'],
  ['123456789012345', '999999999999999', '9007199254740992', '9007199254740993', '9007199254740995'],
  ['0.12345678901234', '0.1234567890123456', '0.12345678901234567', '0.12345678901234568'],
  ['999999999999999999', '-999999999999999999', '9223372036854775807', '-9223372036854775808'],
  ['9223372036854775808', '12345678901234567890123', '1'],
  ['1e3', '1.5E-3', '120e-1', '12', '1.5', '1e300', '1e-400', '0e-400'],
];

for (const texts of columns) {
  test(`staging knows the kinds and the digits of ${texts.join(', ')}`, () => {
    const slots = createLeafSlots({ nameOf: columnName, what: 'the table "t"' });
    const rows = createSlotRows({ slots, keys: [], isWhole: false, onLoneSurrogate() {}, onSlot() {} });
    for (const text of texts) rows.encode(batchIn(0, [`={"n":${text}}`]));
    const kinds = [...new Set(texts.map(kindOfNumber))];
    const formsOf = (kind: string) => texts.filter((text) => kindOfNumber(text) === kind).map(numberForm);
    assert.equal(
      slots.slots.map(({ kind, form }) => [kind, form]),
      kinds.map((kind) => [kind, formsOf(kind).reduce(joinedForm, noDigits)]),
    );
  });
}

for (const [json, cell] of [
  ['"\\u00e9\\n\\"\\/\\\\\\t"', '"é\n""/\\\t"'],
  ['"\\u20ac \\ud83d\\ude00"', '"€ 😀"'],
  ['"\\u0041\\u0022"', '"A"""'],
  ['"\\ud83d!"', '"\ufffd!"'],
]) {
  test(`the text ${json} is staged as the cell ${JSON.stringify(cell)}`, () => {
    const slots = createLeafSlots({ nameOf: columnName, what: 'the table "t"' });
    const rows = createSlotRows({ slots, keys: [], isWhole: false, onLoneSurrogate() {}, onSlot() {} });
    assert.ok(rows.encode(batchIn(0, [`={"text":${json}}`])).includes(`\n,${cell}\n`));
  });
}

test.run();
