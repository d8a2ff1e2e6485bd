import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ExtractError } from '../../src/core/errors/errors.js';
import { json, jsonSeq, ndjson, type Reader, readerOf } from '../../src/page/readers.js';
import type { ScanOptions } from '../../src/page/scanner/scanner.js';
import { at, auto, defaults, type Outcome, pieces, scanChunks, WHOLE } from './scanner-run.js';

const types: readonly (readonly [contentType: string | undefined, reader: Reader])[] = [
  ['application/x-ndjson', ndjson],
  ['application/ndjson', ndjson],
  ['application/jsonl', ndjson],
  ['application/x-jsonlines', ndjson],
  ['application/stream+json', ndjson],
  ['Application/X-NDJSON ; charset=utf-8', ndjson],
  ['application/json-seq', jsonSeq],
  ['application/geo+json-seq;x=y', jsonSeq],
  ['application/json', json],
  ['application/vnd.api+json; charset=utf-8', json],
  ['text/html', json],
  ['text/plain; application/x-ndjson', json],
  ['', json],
  [undefined, json],
];

for (const [contentType, reader] of types) {
  const name = reader === json ? 'a document' : reader === ndjson ? 'lines' : 'a sequence';
  test(`reads ${contentType} as ${name}`, () => assert.is(readerOf(contentType), reader));
}

const RS = '\x1e';

function read(reader: Reader, body: string | Uint8Array, options: Partial<ScanOptions> = {}, size = WHOLE): Outcome {
  return scanChunks(pieces(Buffer.from(body), size), options, reader.start);
}

const rows: readonly (readonly [what: string, reader: Reader, body: string, items: readonly string[]])[] = [
  ['lines', ndjson, '{"a":1}\n[2]\n', ['{"a":1}', '[2]']],
  ['a last line without a newline', ndjson, '1\n"x"\n2', ['1', '"x"', '2']],
  ['a last number of one digit', ndjson, '7', ['7']],
  ['blank lines', ndjson, '\n\n 1\n\n\t\r\n2 \n\n\n', ['1', '2']],
  ['lines that end in CR LF', ndjson, '1\r\n2\r\n', ['1', '2']],
  ['a byte-order mark', ndjson, '\ufeff1\n2\n', ['1', '2']],
  ['a byte-order mark alone', ndjson, '\ufeff', []],
  ['nothing but blanks', ndjson, ' \n\n', []],
  ['nothing', ndjson, '', []],
  ['every kind of value', ndjson, 'null\nfalse\n0\n""\n[]\n{}\n', ['null', 'false', '0', '""', '[]', '{}']],
  [
    'text as it came',
    ndjson,
    '{ "b": 1.0, "a": 1E+2, "a": "\\u0041\\/\\ud800" }\n12345678901234567890\n',
    ['{"b":1.0,"a":1E+2,"a":"\\u0041\\/\\ud800"}', '12345678901234567890'],
  ],
  ['characters beyond ASCII', ndjson, '"é漢😀"\n{"😀":"\u2028"}\n', ['"é漢😀"', '{"😀":"\u2028"}']],
  ['a record separator in an escape', ndjson, '"\\u001e"\n', ['"\\u001e"']],
  ['a sequence', jsonSeq, `${RS}{"a":1}\n${RS}2\n`, ['{"a":1}', '2']],
  ['texts of a sequence over several lines', jsonSeq, `${RS}{\n "a": 1\n}\n${RS}[\n]\n`, ['{"a":1}', '[]']],
  ['a sequence without line feeds', jsonSeq, `${RS}{}${RS}"x"${RS}[1]`, ['{}', '"x"', '[1]']],
  ['a sequence with separators to spare', jsonSeq, `${RS}${RS}\n${RS}1\n${RS}`, ['1']],
  ['a sequence behind blanks and a mark', jsonSeq, `\ufeff \n${RS}true\n`, ['true']],
  ['an empty sequence', jsonSeq, '', []],
];

for (const [what, reader, body, items] of rows) {
  test(`reads ${what}, cut anywhere`, () => {
    for (const size of [WHOLE, 1, 2, 3, 5]) {
      const outcome = read(reader, body, {}, size);
      assert.equal(outcome.items, items, `pieces of ${size}`);
      assert.is(outcome.count, items.length);
      assert.is(outcome.itemBytes, Buffer.byteLength(items.map((item) => `${item}\n`).join('')));
      assert.is(outcome.found, 'list');
    }
  });
}

function failure(reader: Reader, body: string | Uint8Array, options: Partial<ScanOptions>, size: number) {
  try {
    read(reader, body, options, size);
  } catch (thrown) {
    if (thrown instanceof ExtractError) return thrown;
    throw thrown;
  }
  throw new Error('expected a fault');
}

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const latin = (text: string) => Buffer.from(text, 'latin1');

type Fault = readonly [what: string, Reader, body: string | Buffer, code: string, offset: number, message: RegExp];
const faults: readonly Fault[] = [
  ['a line cut short', ndjson, '{"a":1}\n{"b":\n', 'ERR_JSON', 13, /unexpected end/],
  ['a value over two lines', ndjson, '{"a":\n1}\n', 'ERR_JSON', 5, /unexpected end/],
  ['two values on a line', ndjson, '1\n{"a":1} {"b":2}\n', 'ERR_JSON', 10, /nothing more after the value/],
  ['a comma behind a value', ndjson, '{"a":1},\n{"b":2}\n', 'ERR_JSON', 7, /nothing more after the value/],
  ['values like a list', ndjson, '1\n2,3\n', 'ERR_JSON', 3, /nothing more after the value/],
  ['brackets the wrong way round', ndjson, '1],[2\n', 'ERR_JSON', 1, /nothing more/],
  ['a line of words', ndjson, '1\nError: too many requests\n', 'ERR_JSON', 2, /expected a value/],
  ['a text without its end', ndjson, '"abc\n"def"\n', 'ERR_JSON', 4, /closing quote/],
  ['half a literal', ndjson, '{}\ntru\n{}\n', 'ERR_JSON', 3, /expected a value/],
  ['a last line cut short', ndjson, '1\n[1,2', 'ERR_JSON', 6, /unexpected end/],
  ['a number cut at its point', ndjson, '1\n2.', 'ERR_JSON', 4, /unexpected end/],
  ['a fault behind characters beyond ASCII', ndjson, '"é漢😀"\n["é",x]\n', 'ERR_JSON', 18, /expected a value/],
  ['a fault behind a byte-order mark', ndjson, '\ufeff1\nx\n', 'ERR_JSON', 5, /expected a value/],
  ['a byte-order mark within', ndjson, '1\n\ufeff2\n', 'ERR_JSON', 2, /expected a value/],
  ['bytes that are no UTF-8', ndjson, latin('"a"\n"b\xffc"\n'), 'ERR_UTF8', 6, /UTF-8 at byte 6/],
  ['a character cut by the end', ndjson, latin('"a"\n"\xe2\x82'), 'ERR_UTF8', 5, /UTF-8/],
  ['JSON broken before UTF-8', ndjson, latin('x\n"\xff"\n'), 'ERR_JSON', 0, /expected a value/],
  ['512 levels', ndjson, `1\n${deep(512)}\n`, 'ERR_DEPTH', 2, /deeper than 511/],
  ['100,000 levels', ndjson, `1\n${'['.repeat(100_000)}`, 'ERR_DEPTH', 2, /deeper than 511/],
  ['a large line', ndjson, `"x"\n"${'y'.repeat(200)}"\n`, 'ERR_ITEM_SIZE', 4, /byte 4 is larger than 128/],
  ['a large line that does not end', ndjson, `"x"\n"${'y'.repeat(999)}`, 'ERR_ITEM_SIZE', 4, /larger than 128/],
  ['a large first line', ndjson, `"${'y'.repeat(999)}`, 'ERR_ITEM_SIZE', 0, /larger than 128/],
  ['lines as a sequence', jsonSeq, ' {"a":1}\n', 'ERR_JSON', 1, /record separator \(RS\) before/],
  ['a sequence as lines', ndjson, `${RS}{"a":1}\n`, 'ERR_JSON', 0, /expected a value/],
  ['a number without its line feed', jsonSeq, `${RS}1\n${RS}12`, 'ERR_JSON', 6, /truncated JSON text/],
  ['a number before the next text', jsonSeq, `${RS}12${RS}{}\n`, 'ERR_JSON', 3, /truncated JSON text/],
  ['true without its line feed', jsonSeq, `${RS}true`, 'ERR_JSON', 5, /truncated JSON text/],
  ['an object cut short', jsonSeq, `${RS}{"a":1${RS}{}\n`, 'ERR_JSON', 7, /unexpected end/],
  ['two values in a text', jsonSeq, `${RS}{}\n{}\n`, 'ERR_JSON', 4, /nothing more/],
];

for (const [what, reader, body, code, offset, message] of faults) {
  test(`rejects ${what}, cut anywhere`, () => {
    const small = code === 'ERR_ITEM_SIZE' ? { maxItemBytes: 128 } : {};
    for (const size of [WHOLE, 1, 7, 64]) {
      if (size === 1 && body.length > 10_000) continue;
      const error = failure(reader, body, small, size);
      assert.equal([error.code, error.where.offset], [code, offset], `${error.message}, in pieces of ${size}`);
      assert.match(error.message, message);
    }
  });
}

test('accepts lines up to the largest size and the deepest nesting', () => {
  const body = `"${'x'.repeat(126)}"\n"y"\n`;
  assert.is(read(ndjson, body, { maxItemBytes: 128 }).count, 2);
  assert.is(read(ndjson, `${deep(511)}\n${deep(511)}`).count, 2);
});

test('a path leads into each value: lists give their elements, other values are one item, missing ones none', () => {
  const body = [
    '{"rows":[1,{"a":2}],"rows":[3, 4]}',
    '{"rows":{"b":5}}',
    '{"rows":null}',
    '{"other":1}',
    '"scalar"',
    '{"rows":[]}',
    '{"rows":"six"}',
  ].join('\n');
  for (const size of [WHOLE, 1, 10]) {
    const outcome = read(ndjson, body, { dataField: at('rows'), batchBytes: 8 }, size);
    assert.equal(outcome.items, ['3', '4', '{"b":5}', '"six"']);
    assert.equal([outcome.count, outcome.itemBytes, outcome.found], [4, 18, 'list']);
  }
});

test('a path that leads nowhere in any value differs from an empty list and an empty page', () => {
  const found = (body: string) => read(ndjson, body, { dataField: at('rows') }).found;
  assert.is(found('{"a":1}\n{"rows":false}\n'), 'empty');
  assert.is(found('{"a":1}\n{"rows":[]}\n'), 'list');
  assert.is(found('\n'), 'list');
});

test('the whole response is the list of the values, with the automatic search and without', () => {
  for (const dataField of [auto, at()]) assert.equal(read(ndjson, '[1]\n[2]\n', { dataField }).items, ['[1]', '[2]']);
});

test('captures by the index of a value', () => {
  const captures = [['0', 'next'], ['1', 'next'], ['next'], ['0']];
  const body = '{"next":"c1","rows":[1]}\n{"nxt":2}\n';
  for (const dataField of [auto, at('rows')]) {
    const { captured, beside } = read(ndjson, body, { captures, dataField });
    assert.equal(captured, ['"c1"', undefined, undefined, '{"next":"c1","rows":[1]}']);
    assert.equal(beside[1], ['nxt']);
  }
});

test('pages with equal values have equal chains, however they are spaced and cut', () => {
  const chain = (reader: Reader, body: string, size: number) =>
    read(reader, body, { fingerprint: true, dataField: at('a') }, size).chain;
  const one = chain(ndjson, '{"a":1}\n[2]\n', WHOLE);
  assert.ok(one.length > 0);
  assert.equal(chain(ndjson, '\n{ "a" : 1 }\r\n\n[2]', 3), one);
  assert.equal(chain(jsonSeq, `${RS}{"a":\n1}\n${RS}[2]`, 1), one);
  assert.equal(scanChunks([Buffer.from('[{"a":1},[2]]')], { fingerprint: true, dataField: at() }).chain, one);
  assert.not.equal(chain(ndjson, '{"a":1}\n[3]\n', WHOLE), one);
  assert.not.equal(chain(ndjson, '{"a":1}\n', WHOLE), one);
});

test('emits a slab as soon as one is full, before the body has ended', () => {
  const scan = ndjson.start({ ...defaults, batchBytes: 10 });
  const events = [...scan.feed(Buffer.from('"first line"\n"second line"\n"thi'))];
  assert.is(events.length, 1);
  scan.dispose();
});

test.run();
