/** CSV: cells arrive exactly as they were sent, wherever chunks end; what is not valid is an error with its line. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ResponseFormat } from '../../../src/core/model/response-format.js';
import { failureOf, readFormat, valuesOf } from './format-run.js';
import { itemsOfTable, randomCsv } from './random-csv.js';

const csv = (response: Partial<ResponseFormat> = {}) => ({ response: { format: 'csv' as const, ...response } });

const bodies: readonly (readonly [string, string, readonly unknown[], Partial<ResponseFormat>?])[] = [
  [
    'a header and rows',
    'id,name\n1,Ada\n2,Bob\n',
    [
      { id: '1', name: 'Ada' },
      { id: '2', name: 'Bob' },
    ],
  ],
  ['a last line without its end', 'id\n1\n2', [{ id: '1' }, { id: '2' }]],
  [
    'mixed line ends',
    'a,b\r\n1,2\r3,4\n5,6',
    [
      { a: '1', b: '2' },
      { a: '3', b: '4' },
      { a: '5', b: '6' },
    ],
  ],
  ['lines without a byte', '\n\r\na\n\n1\n\r\n2\n\n', [{ a: '1' }, { a: '2' }]],
  ['numbers and blanks as they are', 'a,b\n 007 ,1.0e+2\n', [{ a: ' 007 ', b: '1.0e+2' }]],
  [
    'empty cells',
    'a,b,c\n,,\n"","",\n',
    [
      { a: '', b: '', c: '' },
      { a: '', b: '', c: '' },
    ],
  ],
  ['quotes', 'a,b\n"x, ""y""\r\nz",w\n', [{ a: 'x, "y"\r\nz', b: 'w' }]],
  ['a quote within a cell', 'a\n5" pipe\n', [{ a: '5" pipe' }]],
  ['a byte-order mark', '\ufeffa\n1\n', [{ a: '1' }]],
  ['characters of every length', 'é\n漢😀\u2028\n', [{ é: '漢😀\u2028' }]],
  ['control characters and backslashes', 'a\n\u0001\\\u001f\n', [{ a: '\u0001\\\u001f' }]],
  ['a header alone', 'a,b\n', []],
  ['nothing', '', []],
  ['another delimiter and quote', "a;b\n'x;''';y\n", [{ a: "x;'", b: 'y' }], { delimiter: ';', quote: "'" }],
  ['no quotes at all', 'a\tb\n"x\t"y\n', [{ a: '"x', b: '"y' }], { delimiter: '\t', quote: '' }],
  ['names instead of those of the header', 'a,b\n1,2\n', [{ x: '1', y: '2' }], { names: ['x', 'y'] }],
  ['names without a header', '1,2\n', [{ x: '1', y: '2' }], { names: ['x', 'y'], header: false }],
  [
    'neither names nor a header',
    '1,2\n3,4\n',
    [
      { column_1: '1', column_2: '2' },
      { column_1: '3', column_2: '4' },
    ],
    { header: false },
  ],
  [
    'names without a header, that need an escape',
    '1,2\n',
    [{ 'a"': '1', 'b\n': '2' }],
    { names: ['a"', 'b\n'], header: false },
  ],
  ['a last row with an empty cell, and no line end', 'a,b\n1,', [{ a: '1', b: '' }]],
  ['a last row with a closing quote, and no line end', 'a,b\n1,"2"', [{ a: '1', b: '2' }]],
  ['quotes in the header', '"a ""x""","b,c"\n1,2\n', [{ 'a "x"': '1', 'b,c': '2' }]],
  ['line ends within quotes of a header', '"a\nb",c\r\n1,2\r\n', [{ 'a\nb': '1', c: '2' }]],
  ['a quote that JSON escapes, and one that it does not', "a\n'x''y'\n", [{ a: "x'y" }], { quote: "'" }],
  ['a backslash as the delimiter', 'a\\b\n1\\2\n', [{ a: '1', b: '2' }], { delimiter: '\\' }],
  ['names like those of objects', '__proto__,constructor\n1,2\n', [JSON.parse('{"__proto__":"1","constructor":"2"}')]],
];

for (const [what, body, items, response] of bodies) {
  test(`reads ${what}, in chunks of every size`, () => {
    for (const size of [1, 2, 3, 5, 1000]) assert.equal(valuesOf(readFormat(body, { ...csv(response), size })), items);
  });
}

const encodings: readonly (readonly [string, Buffer, Partial<ResponseFormat>])[] = [
  ['UTF-16 with its mark', Buffer.from('\ufeffé,b\n1,😀\n', 'utf16le'), {}],
  ['UTF-16LE by its name', Buffer.from('é,b\n1,😀\n', 'utf16le'), { encoding: 'utf-16le' }],
  ['UTF-16BE with its mark', Buffer.from('\ufeffé,b\n1,😀\n', 'utf16le').swap16(), { encoding: 'utf-16' }],
];

for (const [what, body, response] of encodings) {
  test(`reads ${what}`, () => {
    for (const size of [1, 2, 3, 1000]) {
      assert.equal(valuesOf(readFormat(body, { ...csv(response), size })), [{ é: '1', b: '😀' }]);
    }
  });
}

test('reads Latin-1 byte for byte, and Windows-1252 with its own characters', () => {
  const body = Buffer.from([0x61, 0x0a, 0xe9, 0x80, 0x0a]);
  assert.equal(valuesOf(readFormat(body, csv({ encoding: 'latin1' }))), [{ a: 'é\u0080' }]);
  assert.equal(valuesOf(readFormat(body, csv({ encoding: 'windows-1252' }))), [{ a: 'é€' }]);
});

const faults: readonly (readonly [string, string | Buffer, RegExp, Partial<ResponseFormat>?])[] = [
  ['a row with fewer cells', 'a,b\n1,2\n3\n', /^ERR_CSV invalid CSV at line 3: a row has 1 cells instead of 2/],
  ['a row with more cells', 'a,b\n1,2,3\n', /^ERR_CSV invalid CSV at line 2: a row has more than 2 cells/],
  [
    'a quote that is never closed',
    'a,b\n1,2\n3,"x\ny',
    /^ERR_CSV .*line 4, cell 2: the quote that is opened in line 3/,
  ],
  ['text after a closing quote', 'a,b\n1,"x"y\n', /^ERR_CSV .*line 2, cell 2: the closing quote/],
  ['a NUL', 'a\nx\n1\0\n', /^ERR_CSV .*line 3, cell 1: a NUL; .*`response.encoding`/],
  ['a name twice', 'a,b,a\n', /^ERR_CSV .*the name "a" twice \(cells 1 and 3\).*`response.names` \(line 1\)/],
  ['a header of another delimiter', 'a;b\n1;2\n', /^ERR_CSV .*no comma, but ";"; set `response.delimiter`/],
  ['a name of 50 characters twice', `${'n'.repeat(50)},${'n'.repeat(50)}\n`, /^ERR_CSV .*"n{40}\.\.\." twice/],
  ['a header of one cell with a tab', 'a\tb\n1\t2\n', /^ERR_CSV .*no comma, but "\\t"/],
  [
    'one cell instead of two names',
    'a\n',
    /^ERR_CSV .*1 cell, and `response.names` 2 names/,
    { names: ['x', 'y'], delimiter: ',' },
  ],
  ['text after the last quote of a file', 'a\n"x"y', /^ERR_CSV .*line 2, cell 1: the closing quote/],
  ['more names than cells', 'a,b\n', /^ERR_CSV .*2 cells, and `response.names` 3 names/, { names: ['x', 'y', 'z'] }],
  ['invalid UTF-8', Buffer.from([0x61, 0x0a, 0x31, 0x0a, 0xff, 0x0a]), /^ERR_UTF8 invalid UTF-8 at line 3/],
  ['half a character at the end', Buffer.from([0x61, 0x0a, 0xc3]), /^ERR_UTF8 invalid UTF-8 at line 2/],
  ['half a unit of UTF-16', Buffer.from([0x61, 0x00, 0x0a]), /^ERR_UTF8 invalid UTF-16LE/, { encoding: 'utf-16le' }],
];

for (const [what, body, expected, response] of faults) {
  test(`${what} is an error with its place, wherever chunks end`, () => {
    for (const size of [1, 2, 7, 1000]) assert.match(failureOf(body, { ...csv(response), size }), expected);
  });
}

test('lines are counted within quotes too, CR LF as one', () => {
  assert.match(failureOf('a\r\n"x\r\ny\rz\nw"\r\n1,2\r\n', { ...csv(), size: 1 }), /at line 6: a row has more/);
});

test('a cell that is larger than an item is an error, with the quote that may be its reason', () => {
  const scan = { maxItemBytes: 1000 };
  assert.match(failureOf(`a\n${'x'.repeat(2000)}\n`, { ...csv(), scan }), /^ERR_ITEM_SIZE .* 1000 bytes at line 2/);
  const open = failureOf(`a\n"${'x\n'.repeat(2000)}`, { ...csv(), scan, size: 100 });
  assert.match(open, /^ERR_ITEM_SIZE .*a quote is open since line 2/);
});

test('100,000 columns, and 100,000 rows in slabs of a batch', () => {
  const names = Array.from({ length: 100_000 }, (_, at) => `c${at}`);
  const wide = readFormat(`${names.join(',')}\n${names.join(',')}\n`, { ...csv(), size: 4096 });
  assert.is(Object.keys(JSON.parse(wide.items[0] ?? '')).length, 100_000);
  const long = readFormat(`a\n${'1\n'.repeat(100_000)}`, { ...csv(), scan: { batchBytes: 1000 }, size: 65536 });
  assert.equal([long.count, long.itemBytes, long.slabs], [100_000, 1_000_000, 1000]);
});

test('a page of short rows with long names leaves in slabs too', () => {
  const read = readFormat(`${'n'.repeat(50_000)}\n${'1\n'.repeat(100)}`, { ...csv(), scan: { batchBytes: 100_000 } });
  assert.equal([read.count, read.slabs], [100, 50]);
});

test('pages may have other headers: with a warning if names differ, an error if all do', () => {
  const memory = {};
  const read = (body: string) => readFormat(body, { ...csv(), memory });
  assert.equal(read('a,b\n1,2\n').warnings, []);
  assert.equal(read('b,a\n1,2\n').warnings, []);
  const { warnings, items } = read('b,c\n1,2\n');
  assert.equal(items, ['{"b":"1","c":"2"}']);
  assert.equal(warnings, [
    'changed-header: the header differs from that of the page before it: without "a", with the new "c"',
  ]);
  assert.match(
    failureOf('1,2\n3,4\n', { ...csv(), memory }),
    /^ERR_CSV .*none of the names of the page before it; if only/,
  );
});

test('equal pages have equal fingerprints, wherever chunks end; others differ', () => {
  const chainOf = (body: string, size: number) =>
    readFormat(body, { ...csv(), size, scan: { fingerprint: true, batchBytes: 10 } });
  const first = chainOf('a\n11111\n2\n3\n', 1);
  assert.equal(first.chain, chainOf('a\r\n"11111"\n2\n3', 100).chain);
  assert.is(first.itemsDigest, first.chain.at(-3));
  assert.is(first.chain.at(-1), 3n);
  assert.is.not(first.itemsDigest, chainOf('a\n11111\n2\n4\n', 1).itemsDigest);
});

test('1,000 random tables come out as they are, in chunks of random sizes', () => {
  const base = Number(process.env.CSV_SEED ?? Math.floor(Math.random() * 2 ** 31));
  for (let seed = base; seed < base + 1000; seed++) {
    const each = randomCsv(seed);
    const size = 1 + (seed % 17);
    const read = readFormat(each.text, { response: each.response, size, scan: { batchBytes: 64 } });
    assert.equal(valuesOf(read), itemsOfTable(each), `CSV_SEED=${seed}`);
  }
});

test('a response of the type text/csv is CSV, unless it begins as JSON does', () => {
  const read = (body: string, contentType: string) => valuesOf(readFormat(body, { contentType, size: 1 }));
  assert.equal(read('a,b\n1,2\n', 'text/csv; charset=utf-8'), [{ a: '1', b: '2' }]);
  assert.equal(read('a\tb\n1\t2\n', 'text/tab-separated-values'), [{ a: '1', b: '2' }]);
  assert.equal(read('\n [{"a":1}]', 'text/csv'), [{ a: 1 }]);
  assert.equal(read(' a,b\n1,2\n', 'text/csv'), [{ ' a': '1', b: '2' }]);
  assert.equal(read('', 'text/csv'), []);
});

test.run();
