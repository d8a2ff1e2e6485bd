/** What the page scanner refuses: the code, the byte offset and the words of each fault. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failure, scanBody, WHOLE } from './scanner-run.js';

const sizes = [WHOLE, 1];

const broken: readonly (readonly [body: string, code: string, offset: number, message: RegExp])[] = [
  ['', 'ERR_JSON', 0, /ends before its value/],
  ['  \n', 'ERR_JSON', 3, /ends before its value/],
  ['{"a":1', 'ERR_JSON', 6, /ends inside an object/],
  ['[[1]', 'ERR_JSON', 4, /ends inside an array/],
  ['["ab', 'ERR_JSON', 4, /ends inside a string/],
  ['["\\u00', 'ERR_JSON', 6, /ends inside a string/],
  ['[-', 'ERR_JSON', 2, /ends inside a number/],
  ['[1e', 'ERR_JSON', 3, /ends inside a number/],
  ['[1', 'ERR_JSON', 2, /ends inside an array/],
  ['[tru', 'ERR_JSON', 4, /ends inside true, false or null/],
  ['[1,]', 'ERR_JSON', 3, /expected a value, found '\]'/],
  ['[1 2]', 'ERR_JSON', 3, /expected ',' or '\]', found '2'/],
  ['[1}', 'ERR_JSON', 2, /expected ',' or '\]', found '}'/],
  ['{"a" 1}', 'ERR_JSON', 5, /expected ':', found '1'/],
  ['{"a":1,}', 'ERR_JSON', 7, /expected a member name, found '}'/],
  ['{a:1}', 'ERR_JSON', 1, /expected a member name or '}', found 'a'/],
  ['{"a"}', 'ERR_JSON', 4, /expected ':'/],
  ['{"a":1:2}', 'ERR_JSON', 6, /expected ',' or '}', found ':'/],
  ['{"a"::2}', 'ERR_JSON', 5, /expected a value, found ':'/],
  ['[,1]', 'ERR_JSON', 1, /expected a value or '\]', found ','/],
  [']', 'ERR_JSON', 0, /expected a value, found '\]'/],
  ['[] []', 'ERR_JSON', 3, /expected the end of the document, found '\['/],
  ['[1],', 'ERR_JSON', 3, /expected the end of the document, found ','/],
  ['[01]', 'ERR_JSON', 2, /found '1'/],
  ['[1.]', 'ERR_JSON', 3, /expected a digit of a number, found '\]'/],
  ['[.5]', 'ERR_JSON', 1, /expected a value or '\]', found '\.'/],
  ['[+1]', 'ERR_JSON', 1, /found '\+'/],
  ['[/]', 'ERR_JSON', 1, /found '\/'/],
  ['[-x]', 'ERR_JSON', 2, /expected a digit/],
  ['[1e+]', 'ERR_JSON', 4, /expected a digit/],
  ['[truE]', 'ERR_JSON', 4, /expected true, false or null, found 'E'/],
  ['[nulll]', 'ERR_JSON', 5, /found 'l'/],
  ['[NaN]', 'ERR_JSON', 1, /found 'N'/],
  ['["\\x"]', 'ERR_JSON', 3, /after a backslash, found 'x'/],
  ['["\\u12G4"]', 'ERR_JSON', 6, /four hexadecimal digits/],
  ['["a\tb"]', 'ERR_JSON', 3, /unescaped control characters, found the control character 09/],
  ['["a\u0000b"]', 'ERR_JSON', 3, /control character 00/],
  ['[\u0000]', 'ERR_JSON', 1, /control character 00/],
  ["['a']", 'ERR_JSON', 1, /found "'"/],
  ['[\u00a0]', 'ERR_JSON', 1, /a character beyond ASCII/],
  ['[1]\ufeff', 'ERR_JSON', 3, /a character beyond ASCII/],
  ['\ufeff\ufeff[1]', 'ERR_JSON', 3, /a character beyond ASCII/],
  ['\ufeff[1,]', 'ERR_JSON', 6, /expected a value/],
  ['['.repeat(513), 'ERR_DEPTH', 512, /deeper than 512/],
  ['7', 'ERR_DATA_FIELD', 0, /bare scalar/],
  [' null', 'ERR_DATA_FIELD', 1, /bare scalar/],
  ['{"a":[1],"b":[]}', 'ERR_DATA_FIELD', 13, /"a" and "b"; set dataField/],
];

for (const [body, code, offset, message] of broken) {
  test(`rejects ${JSON.stringify(body.slice(0, 20))} with ${code} at ${offset}`, () => {
    for (const size of sizes) {
      const got = failure(body, {}, size);
      assert.equal([got?.code, got?.offset], [code, offset]);
      assert.match(got?.message ?? '', message);
    }
  });
}

test('accepts 512 levels', () => {
  assert.is(scanBody('['.repeat(512) + ']'.repeat(512)).count, 1);
});

const malformed: readonly (readonly [name: string, hex: string, offset: number])[] = [
  ['a lone continuation byte', '5b22806162225d', 2],
  ['an overlong slash', '5b22c0af225d', 2],
  ['a surrogate', '5b22eda080225d', 2],
  ['a code point above U+10FFFF', '5b22f4908080225d', 2],
  ['a cut character', '5b22c3225d', 2],
  ['a character that the end cuts', '5b22e282', 2],
  ['the byte FF', '5b2261c3a9ff225d', 5],
];

for (const [name, hex, offset] of malformed) {
  test(`rejects ${name} as ERR_UTF8 at ${offset}`, () => {
    for (const size of [...sizes, 2, 3]) {
      const got = failure(Buffer.from(hex, 'hex'), {}, size);
      assert.equal([got?.code, got?.offset], ['ERR_UTF8', offset]);
    }
  });
}

// An item that is longer by a window each time: sooner or later the memory grows while the window with the bad byte is
// scanned.
test('rejects invalid UTF-8 also while the memory of the scanner grows', () => {
  const window = 65_536;
  for (let windows = 0; windows < 64; windows += 1) {
    const offset = windows * window + 10;
    const body = Buffer.alloc(offset + window, 'a');
    body.set(Buffer.from('["'));
    body[offset] = 0xff;
    const got = failure(Buffer.concat([body, Buffer.from('"]')]), {}, window);
    assert.equal([got?.code, got?.offset], ['ERR_UTF8', offset]);
  }
});

test('reports the first error of a body, in any chunks', () => {
  const body = Buffer.concat([Buffer.from('[1,]'), Buffer.from([0xff])]);
  for (const size of sizes) assert.is(failure(body, {}, size)?.offset, 3);
});

test('finds an error far after the first window', () => {
  const body = `["${'é'.repeat(100_000)}" x`;
  for (const size of [WHOLE, 1001]) assert.is(failure(body, {}, size)?.offset, 200_004);
});

test('shows one character of the body at the most', () => {
  const got = failure('{"token":"s3cr3t" "password":"hidden"}');
  assert.is(got?.message, `expected ',' or '}', found '"' at byte 18`);
});

test('skips a byte-order mark, in any chunks', () => {
  for (const size of [...sizes, 2]) assert.equal(scanBody('\ufeff[1]', {}, size).items, ['1']);
});

test.run();
