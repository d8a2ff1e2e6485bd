import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../../src/core/errors/errors.js';
import {
  type Exact,
  ExactNumber,
  fromPlain,
  isArray,
  isNumber,
  isObject,
  stringifyExact,
} from '../../../src/core/json/exact.js';
import { parseExact } from '../../../src/core/json/exact-parse.js';

const plain = (value: Exact): unknown => {
  if (isNumber(value)) return Number(value.text);
  if (isArray(value)) return value.map(plain);
  if (isObject(value)) return Object.fromEntries([...value].map(([name, member]) => [name, plain(member)]));
  return value;
};

const refusal = (json: string | Uint8Array): ExtractError => {
  try {
    parseExact(json);
  } catch (error) {
    if (error instanceof ExtractError) return error;
    throw error;
  }
  throw new Error(`was taken: ${String(json)}`);
};

const numbers = [
  '0',
  '-0',
  '1.0',
  '1e5',
  '-1.50E-07',
  '12345678901234567890123',
  '0.1000000000000000055511151231257827',
];

for (const number of numbers) {
  test(`keeps the text of the number ${number}`, () => {
    assert.equal(parseExact(number), new ExactNumber(number));
    assert.is(stringifyExact(parseExact(`{"a":[${number}]}`)), `{"a":[${number}]}`);
  });
}

test('keeps the order of members, integer-like names and __proto__ included', () => {
  const json = '{"b":1,"10":2,"9":3,"__proto__":{"x":4},"a":5}';
  assert.is(stringifyExact(parseExact(json)), json);
});

test('a repeated member has its first position and its last value', () => {
  assert.is(stringifyExact(parseExact('{"a":1,"b":2,"a":{"c":3}}')), '{"a":{"c":3},"b":2}');
});

test('skips a byte-order mark in text and in bytes', () => {
  assert.is(parseExact('\uFEFFtrue'), true);
  assert.is(parseExact(Buffer.from('\uFEFFtrue')), true);
});

const broken = [
  ['', 0],
  ['  ', 2],
  ['{"a":1', 6],
  ['[1,2,]', 5],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['01', 1],
  ['1.', 2],
  ['-', 1],
  ['tru', 0],
  ['nulll', 0],
  ['"ab', 3],
  ['"a\nb"', 2],
  ['"\\x"', 1],
  ['{} x', 3],
  ['"ž" x', 5],
  ['// no\n1', 0],
  ['\u00a01', 0],
] as const;

for (const [json, offset] of broken) {
  test(`rejects ${JSON.stringify(json)} at byte ${offset}`, () => {
    const { code, where, message } = refusal(json);
    assert.is(code, 'ERR_JSON');
    assert.is(where.offset, offset);
    assert.match(message, `at byte ${offset}: `);
  });
}

test('quotes nothing of a rejected text', () => {
  assert.not.match(refusal('{"token": s3cr3t}').message, 's3cr3t');
  assert.not.match(refusal('{"s3cr3t": "s3cr3t" "s3cr3t"}').message, 's3cr3t');
});

test('rejects invalid UTF-8 with the offset of its first byte', () => {
  const bytes = Buffer.concat([Buffer.from('"\uFFFDž'), Buffer.of(0xc3), Buffer.from('"')]);
  const { code, where } = refusal(bytes);
  assert.is(code, 'ERR_UTF8');
  assert.is(where.offset, 6);
});

test('accepts 512 levels and rejects 513', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  assert.is(stringifyExact(parseExact(nested(512))), nested(512));
  assert.is(refusal(nested(513)).code, 'ERR_DEPTH');
  assert.is(refusal(nested(200_000)).code, 'ERR_DEPTH');
});

const seed = Date.now() & 0x7fffffff;

test(`agrees with JSON.parse on every value (seed ${seed})`, () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      assert.equal(plain(parseExact(json)), JSON.parse(json));
      assert.equal(stringifyExact(parseExact(json)), stringifyExact(fromPlain(JSON.parse(json))));
    }),
    { seed, numRuns: 300 },
  );
});

test(`rejects what JSON.parse rejects (seed ${seed})`, () => {
  const fragment = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '1',
    '-',
    '.',
    'e',
    '0',
    'true',
    'nul',
    ' ',
    '\\',
    'u',
    '\n',
  );
  const takes = (read: (json: string) => unknown, json: string) => {
    try {
      read(json);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 9 }), (fragments) => {
      const json = fragments.join('');
      assert.is(takes(parseExact, json), takes(JSON.parse, json), json);
    }),
    { seed, numRuns: 2000 },
  );
});

test.run();
