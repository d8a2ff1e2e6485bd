/** XML: each element at a path is an item, by one mapping; a document that is not valid is an error with its place. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ResponseFormat } from '../../../src/core/model/response-format.js';
import { failureOf, readFormat, valuesOf } from './format-run.js';

const xml = (response: Partial<ResponseFormat> = {}) => ({
  response: { format: 'xml' as const, element: 'r.i', ...response },
});

const bodies: readonly (readonly [string, string, readonly unknown[], Partial<ResponseFormat>?])[] = [
  ['elements and texts', '<r><i><a>1</a><b> x </b></i><i><a/></i></r>', [{ a: '1', b: ' x ' }, { a: '' }]],
  [
    'attributes',
    '<r><i id="7" n=\'"\'>t</i><i id="8"/></r>',
    [{ '@id': '7', '@n': '"', '#text': 't' }, { '@id': '8' }],
  ],
  ['an element with attributes in an item', '<r><i><a x="1">t</a></i></r>', [{ a: { '@x': '1', '#text': 't' } }]],
  ['several elements of one name', '<r><i><a>1</a><b/><a>2</a></i></r>', [{ a: ['1', '2'], b: '' }]],
  ['texts between elements', '<r><i><p>a <b>c</b> d</p></i></r>', [{ p: { '#content': ['a ', { b: 'c' }, ' d'] } }]],
  ['white space between elements', '<r>\n <i>\n  <a>1</a>\n </i>\n</r>\n', [{ a: '1' }]],
  ['an item that is a text, and an empty one', '<r><i>5</i><i/></r>', [{ '#text': '5' }, {}]],
  [
    'the five entities, and characters by number',
    '<r><i>&amp;&lt;&gt;&quot;&apos;&#233;&#x1F600;</i></r>',
    [{ '#text': '&<>"\'é😀' }],
  ],
  ['entities in attributes', '<r><i a="&lt;&#10;&quot;"/></r>', [{ '@a': '<\n"' }]],
  ['CDATA', '<r><i>a<![CDATA[<b>&amp;]]]]><![CDATA[>]]></i></r>', [{ '#text': 'a<b>&amp;]]>' }]],
  [
    'comments and instructions',
    '<?xml version="1.0"?><!-- <i> --><r><?p <i>?><i>a<!-- - -->b</i></r><!---->',
    [{ '#text': 'ab' }],
  ],
  ['line ends, as XML says', '<r><i a="x\r\ny\tz">p\r\nq\rs</i></r>', [{ '@a': 'x y z', '#text': 'p\nq\ns' }]],
  ['a byte-order mark', '\ufeff<r><i/></r>', [{}]],
  ['tags over several lines', '<r\n><i\n  a = "1"\n  b="2" ></i\n></r>', [{ '@a': '1', '@b': '2' }]],
  ['`>` within quotes', '<r><i a=">" b=\'/>\'>t</i></r>', [{ '@a': '>', '@b': '/>', '#text': 't' }]],
  [
    'names with prefixes',
    '<r xmlns:n="u"><i n:a="1" xmlns="v"><n:b>2</n:b></i></r>',
    [{ '@n:a': '1', '@xmlns': 'v', 'n:b': '2' }],
  ],
  [
    'the same without prefixes',
    '<n:r xmlns:n="u"><n:i n:a="1" xmlns="v"><n:b>2</n:b></n:i></n:r>',
    [{ '@a': '1', b: '2' }],
    { namespaces: 'drop' },
  ],
  ['a path as a list of names', '<a.b><i>1</i></a.b>', [{ '#text': '1' }], { element: ['a.b', 'i'] }],
  ['items at several places', '<r><x><i>0</i></x><i>1</i><x/><i>2</i></r>', [{ '#text': '1' }, { '#text': '2' }]],
  ['the same name within an item', '<r><i><i>1</i></i></r>', [{ i: '1' }]],
  ['the root as the item', '<r><i>1</i></r>', [{ i: '1' }], { element: 'r' }],
  ['no items', '<r/>', []],
  ['characters of every length', '<r><é漢>😀</é漢><i>é漢😀\u2028</i></r>', [{ '#text': 'é漢😀\u2028' }]],
];

for (const [what, body, items, response] of bodies) {
  test(`reads ${what}, in chunks of every size`, () => {
    for (const size of [1, 2, 3, 7, 1000]) assert.equal(valuesOf(readFormat(body, { ...xml(response), size })), items);
  });
}

test('reads the encoding of the mark, of the declaration, or of the configuration', () => {
  const declared = (name: string) => `<?xml version='1.0' encoding='${name}'?><r><i>é</i></r>`;
  const read = (body: Buffer, response = {}) => {
    for (const size of [1, 3, 1000])
      assert.equal(valuesOf(readFormat(body, { ...xml(response), size })), [{ '#text': 'é' }]);
  };
  read(Buffer.from(declared('ISO-8859-1'), 'latin1'));
  read(Buffer.from(declared('UTF-8')));
  read(Buffer.from(`\ufeff${declared('UTF-16')}`, 'utf16le'));
  read(Buffer.from(declared('UTF-16'), 'utf16le').swap16());
  read(Buffer.from('<r><i>é</i></r>', 'latin1'), { encoding: 'latin1' });
  assert.match(failureOf(declared('EBCDIC-XY'), xml()), /^ERR_XML .*set `response.encoding`/);
});

const faults: readonly (readonly [string, string | Buffer, RegExp])[] = [
  [
    'a document type',
    '<!DOCTYPE r [<!ENTITY a "b">]><r/>',
    /^ERR_XML .*line 1: a document type definition, which is refused/,
  ],
  ['another entity', '<r>\n<i>&nbsp;</i></r>', /^ERR_XML .*line 2, in r\.i: `&nbsp` is none of the five/],
  ['an ampersand alone', '<r><i>a & b</i></r>', /^ERR_XML .*in r\.i: `& b` is none/],
  [
    'a tag that closes another',
    '<r>\n\n<i><a></b></i></r>',
    /^ERR_XML .*line 3, in r\.i\.a: `<\/b>` instead of `<\/a>`/,
  ],
  ['a closing tag too many', '<r/></r>', /^ERR_XML .*`<\/r>`, but no element is open/],
  ['a document that is cut in an element', '<r><i><a>1', /^ERR_XML .*in r\.i\.a: the document ends before its root/],
  ['a document that is cut in a tag', '<r><i', /^ERR_XML .*the document ends before/],
  ['a document that is cut in a comment', '<r/><!-- x', /^ERR_XML .*the document ends in a comment/],
  ['a second root', '<r/><r/>', /^ERR_XML .*a second root element/],
  ['a text after the root', '<r/>x', /^ERR_XML .*a text outside/],
  [
    'another root',
    '<Error><Code>1</Code></Error>',
    /^ERR_XML the root element is "Error"; `response.element` is "r.i", a path/,
  ],
  ['an attribute twice', '<r><i a="1" a="2"/></r>', /^ERR_XML .*the attribute a twice/],
  ['an attribute without quotes', '<r><i a=1/></r>', /^ERR_XML .*an attribute that is not NAME="VALUE"/],
  ['`<` in an attribute', '<r><i a="<"/></r>', /^ERR_XML .*`<` in the value/],
  ['attributes without a space', '<r><i a="1"b="2"/></r>', /^ERR_XML .*without white space/],
  ['`]]>` in a text', '<r><i>a]]>b</i></r>', /^ERR_XML .*`\]\]>` in a text/],
  ['a NUL', '<r><i>\0</i></r>', /^ERR_XML .*the control character 0/],
  ['a NUL by its number', '<r><i>&#0;</i></r>', /^ERR_XML .*a reference to the character 0/],
  ['a surrogate by its number', '<r><i>&#xD800;</i></r>', /^ERR_XML .*a reference to the character 55296/],
  ['a name of other characters', '<r><1/></r>', /^ERR_XML .*a name with characters/],
  ['invalid UTF-8', Buffer.from([0x3c, 0x72, 0x3e, 0xff]), /^ERR_UTF8 invalid UTF-8 at line 1, in r/],
];

for (const [what, body, expected] of faults) {
  test(`${what} is an error with its place, wherever chunks end`, () => {
    for (const size of [1, 2, 7, 1000]) assert.match(failureOf(body, { ...xml(), size }), expected);
  });
}

test('nesting of 100,000, items that are too large and 100,000 attributes are refused or read in little time', () => {
  assert.match(
    failureOf('<r>'.repeat(100_000), { ...xml(), size: 1000 }),
    /^ERR_DEPTH .*deeper than 511 levels at line 1/,
  );
  const scan = { maxItemBytes: 10_000 };
  assert.match(failureOf(`<r><i>${'x'.repeat(20_000)}</i></r>`, { ...xml(), scan }), /^ERR_ITEM_SIZE .*in r\.i/);
  assert.match(failureOf(`<r><i>${'<a/>'.repeat(5000)}</i></r>`, { ...xml(), scan }), /^ERR_ITEM_SIZE/);
  const wide = `<r><i>${Array.from({ length: 5000 }, (_, at) => `<a${at}>1</a${at}>`).join('')}</i></r>`;
  assert.is(Object.keys(valuesOf(readFormat(wide, xml()))[0] ?? {}).length, 5000);
  assert.match(
    failureOf(`<r><i a="${'x'.repeat(2 << 20)}`, { ...xml(), size: 65536 }),
    /^ERR_XML .*a tag of more than/,
  );
});

test('values around the items are captured, of several the last one', () => {
  const body = '<r next="n1"><page><total>7</total></page><link>a</link><i>1</i><link x="2">b</link><i>2</i></r>';
  const captures = [
    ['r', 'page', 'total'],
    ['r', '@next'],
    ['r', 'link', '#text'],
    ['r', 'link', '0'],
    ['r', 'none'],
    ['r', 'link', '@x'],
  ];
  for (const size of [1, 1000]) {
    const { captured, count } = readFormat(body, { ...xml(), scan: { captures }, size });
    assert.equal(captured, ['"7"', '"n1"', '"b"', '"a"', undefined, '"2"']);
    assert.is(count, 2);
  }
  const scan = { captures: [['r', 'link']], maxCaptureBytes: 100 };
  assert.match(
    failureOf(`<r><link>${'x'.repeat(200)}</link></r>`, { ...xml(), scan }),
    /^ERR_ITEM_SIZE what the pagination/,
  );
});

test('a response of an XML type is an error that names the remedy, unless it begins as JSON does', () => {
  for (const contentType of ['application/xml', 'text/xml; charset=utf-8', 'application/atom+xml']) {
    assert.match(
      failureOf('<feed/>', { contentType }),
      /^ERR_XML the response is XML; set `response` .*"element": PATH/,
    );
    assert.equal(readFormat('[{"a":1}]', { contentType }).items, ['{"a":1}']);
  }
});

test('pages leave in slabs of a batch', () => {
  const read = readFormat(`<r>${'<i><a>1</a></i>'.repeat(1000)}</r>`, { ...xml(), scan: { batchBytes: 100 } });
  assert.equal([read.count, read.slabs, read.itemBytes], [1000, 100, 10_000]);
});

test('white space between any number of items is not kept for the pagination', () => {
  const scan = {
    captures: [
      ['r', 'next'],
      ['r', 'text'],
    ],
  };
  const body = `<r>${'\n  <i/>\n<x>\n</x>'.repeat(70_000)}<text> </text>\n<next>5</next>\n</r>`;
  const { count, captured } = readFormat(body, { ...xml(), scan, size: 65536 });
  assert.equal([count, captured], [70_000, ['"5"', '" "']]);
  const mixed = readFormat('<r><i/> <text>a <b>c</b> <i>d</i></text><i/></r>', { ...xml(), scan });
  assert.equal(JSON.parse(mixed.captured[1] ?? ''), { '#content': ['a ', { b: 'c' }, ' ', { i: 'd' }] });
});

/** A document, and whether it has a place for items of `r.l.i`, or how far the path leads and the names there. */
const places: readonly (readonly [string, 'list' | readonly [number, readonly string[]]])[] = [
  ['<r><l><i/></l></r>', 'list'],
  ['<r><x/><l><j/><i/></l></r>', 'list'],
  ['<r><l/></r>', 'list'],
  ['<r><l n="0"> <!-- none --> </l><x/></r>', 'list'],
  ['<r><l/><l/></r>', 'list'],
  ['<r><l>none</l></r>', [2, []]],
  ['<r><l>no<!-- -->ne</l><l/></r>', 'list'],
  ['<r><l/><l><j/></l></r>', [2, ['j']]],
  ['<r><l><j/><k/><j/></l></r>', [2, ['j', 'k']]],
  ['<r><x><l/></x><y/></r>', [1, ['x', 'y']]],
  ['<r><x/><l><j><i/></j></l><z/></r>', [2, ['j']]],
  ['<r/>', [1, []]],
];

for (const [body, expected] of places) {
  test(`${body} has ${expected === 'list' ? 'a place for items' : 'none, and says what it has'}`, () => {
    for (const size of [1, 2, 5, 1000]) {
      const { found, miss } = readFormat(body, { ...xml({ element: 'r.l.i' }), size });
      const [depth, beside] = expected === 'list' ? [] : expected;
      assert.is(found, expected === 'list' ? 'list' : 'absent');
      if (expected !== 'list') assert.equal(miss, { depth, beside });
    }
  });
}

test('of thousands of names in the place of the items 64 are kept', () => {
  const body = `<r>${Array.from({ length: 5000 }, (_, at) => `<n${at}/>`).join('')}</r>`;
  const { miss } = readFormat(body, xml());
  assert.equal([miss.beside.length, miss.beside.at(-1)], [64, 'n63']);
});

test.run();
