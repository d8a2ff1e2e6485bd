/** Literals are the output of Generic Extractor. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromPlain } from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';
import { jsonText } from '../../../src/core/json/json-text.js';

const cases = [
  ['null', 'null'],
  ['true', 'true'],
  ['"a/b"', '"a\\/b"'],
  ['"\\u00e9\\ud83d\\ude00\\u007f"', '"\\u00e9\\ud83d\\ude00\x7f"'],
  ['"\\n\\t\\"\\\\\\u001f"', '"\\n\\t\\"\\\\\\u001f"'],
  ['{ "b/" : 1, "a" : [ {}, [] ], "10": 2, "9": "é" }', '{"b\\/":1,"a":[{},[]],"10":2,"9":"\\u00e9"}'],
  ['9223372036854775807', '9223372036854775807'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['9223372036854775808', '9.2233720368547758e+18'],
  ['12345678901234567890', '1.2345678901234567e+19'],
  ['1.0', '1'],
  ['1e3', '1000'],
  ['0.1', '0.10000000000000001'],
  ['1.5', '1.5'],
  ['3.14159265358979323846', '3.1415926535897931'],
  ['0.0001', '0.0001'],
  ['0.00001', '1.0000000000000001e-5'],
  ['1e14', '100000000000000'],
  ['1e16', '10000000000000000'],
  ['1e17', '1.0e+17'],
  ['1e22', '1.0e+22'],
  ['1e25', '1.0000000000000001e+25'],
  ['-2.5e-7', '-2.4999999999999999e-7'],
  ['-0.0', '-0'],
  ['-0', '0'],
  ['1e-400', '0'],
  ['1e400', '1e400'],
  ['9007199254740992.0', '9007199254740992'],
  ['0.50000762939453125', '0.50000762939453125'],
] as const;

for (const [json, text] of cases) {
  test(`${json} is written ${text}`, () => assert.is(jsonText(parseExact(json)), text));
}

/** Doubles of exactly 18 digits, the last of them 5: half-way between two of 17. */
for (const [value, text] of [
  [26217 / 262144, '0.10000991821289062'],
  [26215 / 262144, '0.10000228881835938'],
] as const) {
  test(`a tie rounds to the even digit: ${text}`, () => assert.is(jsonText(fromPlain(value)), text));
}

test('the written text reads as the same value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      assert.equal(JSON.parse(jsonText(parseExact(JSON.stringify(value)))), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('a double is written with as many digits as bring it back', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = jsonText(fromPlain(value));
      assert.is(Number(text), value === 0 ? 0 : value);
      assert.match(text, /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]\d+)?$/);
    }),
    { numRuns: 2000 },
  );
});

test.run();
