import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseDocument } from '../../src/config/document.js';
import { ExtractError } from '../../src/core/errors/errors.js';
import { stringifyExact } from '../../src/core/json/exact.js';

const textOf = (source: string | Uint8Array) => stringifyExact(parseDocument(source, 'config.json'));

const messageOf = (source: string | Uint8Array): string => {
  try {
    parseDocument(source, 'config.json');
  } catch (error) {
    if (error instanceof ExtractError && error.code === 'ERR_CONFIG_SYNTAX') return error.message;
    throw error;
  }
  throw new Error('was taken');
};

test('keeps number text and the order of members', () => {
  const json = '{"b":1.0,"10":12345678901234567890,"9":-0,"a":1e2}';
  assert.is(textOf(json), json);
});

test('allows comments and trailing commas', () => {
  assert.is(textOf('// head\n{"a": /* one */ 1, // two\n "b": [1, 2,],\n}\n// end'), '{"a":1,"b":[1,2]}');
});

test('text that looks like a comment inside a string is unchanged', () => {
  assert.is(textOf('{"url":"https://a.example/*x*/"}'), '{"url":"https://a.example/*x*/"}');
});

test('skips a byte-order mark', () => {
  assert.is(textOf('\uFEFF{}'), '{}');
  assert.is(textOf(Buffer.from('\uFEFF{}')), '{}');
});

const faults = [
  ['{\n  "a": 1\n  "b": 2\n}', "config.json:3:3: expected ',' or the closing bracket"],
  ['{"a" 1}', "config.json:1:6: expected ':'"],
  ['{\r\n"a": tru\r\n}', 'config.json:2:6: expected a value'],
  ["{'a': 1}", 'config.json:1:2: expected a member name in double quotes'],
  ['{} {}', 'config.json:1:4: expected nothing more after the value'],
  [
    '{"a": "x\ny"}',
    'config.json:1:9: expected a character that a string may hold: no bare line break, no unknown escape',
  ],
  ['{"a": 1', "config.json:1:8: unexpected end: expected ',' or the closing bracket"],
  ['{"a": "x', 'config.json:1:9: unexpected end: expected the closing quote of a string'],
  ['{} /* open', 'config.json:1:11: unexpected end: unterminated block comment'],
  ['// nothing', 'config.json:1:11: unexpected end: expected a value'],
  ['', 'config.json: the file is empty'],
  [' \n', 'config.json: the file is empty'],
] as const;

for (const [text, message] of faults) {
  test(`reports for ${JSON.stringify(text)}: ${message}`, () => assert.is(messageOf(text), message));
}

test('reports the byte of invalid UTF-8', () => {
  assert.is(messageOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), 'config.json: invalid UTF-8 at byte 2');
});

test('rejects a document nested deeper than 512 levels', () => {
  assert.is(messageOf('['.repeat(600) + ']'.repeat(600)), 'config.json: nested deeper than 512 levels');
});

test('quotes nothing of the document', () => {
  for (const text of ['{"#p": s3cr3t}', '{"#p": "s3cr3t" s3cr3t}', '{"#p": "s3cr3t', '{s3cr3t: 1}', 's3cr3t']) {
    assert.not.match(messageOf(text), 's3cr3t');
  }
});

test('warns of a repeated member with its path, and the last one counts', () => {
  const notices: string[] = [];
  const document = parseDocument('{"a":[0,{"b":1,"c.d":2,"b":3,"c.d":4}],"a":5}', 'x', ({ code, message }) => {
    notices.push(`${code} ${message}`);
  });
  assert.is(stringifyExact(document), '{"a":5}');
  assert.equal(notices, [
    'duplicate-key a[1].b: written more than once; the last one counts',
    'duplicate-key a[1]["c.d"]: written more than once; the last one counts',
    'duplicate-key a: written more than once; the last one counts',
  ]);
});

test.run();
