import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { countedText, joinedForms, textForm, typeOfForm, uuidBytes } from '../../../sinks/tables/text-forms.js';
import { nearlyTyped, typedTexts } from './typed-texts.js';

const formOf = (text: string) => textForm(Buffer.from(`"${text}"`), 1, 1 + Buffer.byteLength(text));

const together = (...texts: readonly string[]) => texts.map(formOf).reduce(joinedForms);

test('texts that a type would not give back have no form', () => {
  for (const text of nearlyTyped) assert.is(formOf(text), 0, text);
});

const types: readonly (readonly [text: string, type: string])[] = [
  ['2024-02-29', 'date'],
  ['2000-02-29', 'date'],
  ['0001-01-01', 'date'],
  ['9999-12-31', 'date'],
  ['2024-01-01T00:00:00Z', 'instant'],
  ['2024-01-01 23:59:59.000001+00:00', 'instant'],
  ['2024-01-01T00:00:00.5+0000', 'instant'],
  ['2024-01-01T00:00:00+00', 'instant'],
  ['2024-01-01T00:00:00', 'time'],
  ['2024-01-01 00:00:00.120', 'time'],
  ['00000000-0000-0000-0000-000000000000', 'uuid'],
  ['0123abcd-0000-0000-0000-00000000ffff', 'uuid'],
  ['0123ABCD-0000-0000-0000-00000000FFFF', 'uuid'],
];

for (const [text, type] of types) test(`${text} is a ${type}`, () => assert.is(typeOfForm(formOf(text)), type));

test('texts of one column have one form: what a printer cannot give back is text', () => {
  const [z, of] = ['2024-01-01T00:00:00Z', (fraction: string) => `2024-01-01T00:00:00.${fraction}Z`];
  assert.ok(together(z, '1999-12-31T01:02:03Z'));
  assert.ok(together(of('100'), of('123'), of('000')));
  assert.ok(together(z, of('1'), of('123456')), 'without zeros at the end');
  assert.ok(together('00000000-0000-0000-0000-000000000001', 'AAAAAAAA-0000-0000-0000-000000000001'));
  for (const other of [
    of('120'),
    '2024-01-01T00:00:00',
    '2024-01-01 00:00:00Z',
    '2024-01-01T00:00:00+00:00',
    '2024-01-01',
  ]) {
    assert.is(together(z, other), 0, other);
  }
  assert.is(together(of('12'), of('120')), 0);
  assert.is(together(of('10'), of('123')), 0);
  assert.is(together('AAAAAAAA-0000-0000-0000-000000000001', 'aaaaaaaa-0000-0000-0000-000000000001'), 0);
});

test('the form of many texts does not depend on their order', () => {
  for (let seed = 0; seed < 200; seed++) {
    const make = typedTexts(seed);
    const texts = Array.from({ length: 12 }, make);
    const form = together(...texts);
    assert.ok(form > 0, `seed ${seed}: ${texts.join()}`);
    assert.is(together(...texts.toReversed()), form, `seed ${seed}`);
  }
});

test('a text is counted from 1970 as Date counts it, also where a double has too few digits', () => {
  for (let seed = 0; seed < 300; seed++) {
    const text = typedTexts(seed)();
    const [bytes, type] = [Buffer.from(text), typeOfForm(formOf(text))];
    const counted = type === 'uuid' ? 0 : countedText(bytes, 0, bytes.length);
    if (type === 'uuid') {
      const out = Buffer.alloc(16);
      uuidBytes(bytes, 0, out);
      assert.is(out.toString('hex'), text.replaceAll('-', '').toLowerCase(), `seed ${seed}`);
    } else if (type === 'date') assert.is(counted, Date.parse(text) / 86_400_000, text);
    else {
      const [, whole = '', fraction = ''] = /^(.{19})(?:\.(\d+))?/.exec(text) ?? [];
      const micros = BigInt(Date.parse(`${whole.replace(' ', 'T')}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
      assert.is(BigInt(counted), micros, text);
    }
  }
});

test.run();
