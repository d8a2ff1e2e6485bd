/** JSON bodies, to the byte. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExactNumber, type ExactObject, fromPlain, isObject } from '../../../src/core/json/exact.js';
import { encodeJsonBody } from '../../../src/core/url/json-body.js';

const exact = (value: Record<string, unknown>): ExactObject => {
  const made = fromPlain(value);
  return isObject(made) ? made : new Map();
};

const bodies: readonly (readonly [params: ExactObject, body: string])[] = [
  [exact({}), '[]'],
  [
    exact({ filter: { type: 'active' }, return: { fields: ['id', 'name'] } }),
    '{"filter":{"type":"active"},"return":{"fields":["id","name"]}}',
  ],
  [
    exact({ a: {}, b: [], c: [{}], d: null, e: true, f: false, g: '' }),
    '{"a":[],"b":[],"c":[[]],"d":null,"e":true,"f":false,"g":""}',
  ],
  [exact({ 'é/': 'a/b é 😀 \u007f' }), '{"\\u00e9\\/":"a\\/b \\u00e9 \\ud83d\\ude00 \u007f"}'],
  [exact({ s: '"\\\b\f\n\r\t\u0001\u2028' }), '{"s":"\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u2028"}'],
  [
    new Map([
      ['n', new ExactNumber('1.0')],
      ['big', new ExactNumber('1234567890123456789')],
    ]),
    '{"n":1.0,"big":1234567890123456789}',
  ],
  [
    new Map([
      ['0', 'a'],
      ['1', 'b'],
    ]),
    '["a","b"]',
  ],
  [
    new Map([
      ['1', 'a'],
      ['0', 'b'],
    ]),
    '{"1":"a","0":"b"}',
  ],
  [exact({ a: { 0: 'x' } }), '{"a":{"0":"x"}}'],
];

for (const [params, body] of bodies) {
  test(`parameters are written as ${body}`, () => assert.is(encodeJsonBody(params), body));
}

test.run();
