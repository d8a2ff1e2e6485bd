/** What bounds an XML document, and texts in other encodings. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureOf, readFormat, valuesOf } from './format-run.js';

const xml = { response: { format: 'xml' as const, element: 'r.i' } };

const refused: readonly (readonly [what: string, body: string, says: RegExp, scan?: object])[] = [
  ['a document without an element', '<!-- nothing -->', /^ERR_XML .*the document has no element/],
  ['an empty body', ' \n', /^ERR_XML .*the document has no element/],
  [
    'a document that ends in an item',
    '<r>\n\n<i><a>1',
    /^ERR_XML invalid XML at line 3, in r\.i\.a: the document ends/,
  ],
  ['an item whose text is too large', `<r><i>${'x'.repeat(200)}</i></r>`, /^ERR_ITEM_SIZE/, { maxItemBytes: 100 }],
  ['an item whose escapes are', `<r><i>${'"'.repeat(80)}</i></r>`, /^ERR_ITEM_SIZE an item is/, { maxItemBytes: 100 }],
  [
    'more names than anyone means',
    `<r><i>${Array.from({ length: 10_001 }, (_, index) => `<n${index}/>`).join('')}</i></r>`,
    /^ERR_XML .*more than 10000 names/,
  ],
  ['a text outside of the root', '<r/>text', /^ERR_XML .*a text outside of the root element/],
];

for (const [what, body, says, scan = {}] of refused) {
  test(`${what} is refused`, () => assert.match(failureOf(body, { ...xml, scan }), says));
}

test('long texts and texts with escapes are JSON', () => {
  const long = `${'x'.repeat(200)}"`;
  assert.equal(valuesOf(readFormat(`<r><i>${long}</i><i>a\tb\\</i></r>`, xml)), [
    { '#text': long },
    { '#text': 'a\tb\\' },
  ]);
});

test('the last of several elements is the value that a pagination reads', () => {
  const captures = [
    ['r', 'meta', 'next'],
    ['r', 'meta', 'next', '0'],
    ['r', 'none'],
  ];
  const body = '<r><meta><next>1</next><next>2</next></meta><i/></r>';
  const { captured } = readFormat(body, { ...xml, scan: { captures } });
  assert.equal(captured, ['"2"', '"1"', undefined]);
});

const utf16 = (text: string, isBig: boolean): Buffer => {
  const bytes = Buffer.from(text, 'utf16le');
  return isBig ? bytes.swap16() : bytes;
};

const encoded: readonly (readonly [what: string, encoding: 'utf-16' | 'utf-16le' | 'utf-16be', body: Buffer])[] = [
  ['with a mark, the high byte first', 'utf-16', utf16('\ufeffid\n\u00e9\n', true)],
  ['with a mark, the low byte first', 'utf-16', utf16('\ufeffid\n\u00e9\n', false)],
  ['without a mark', 'utf-16', utf16('id\n\u00e9\n', false)],
  ['as it is said', 'utf-16be', utf16('id\n\u00e9\n', true)],
];

for (const [what, encoding, body] of encoded) {
  test(`reads UTF-16 ${what}, in chunks of every size`, () => {
    for (const size of [1, 3, 100]) {
      assert.equal(valuesOf(readFormat(body, { response: { format: 'csv', encoding }, size })), [{ id: 'é' }]);
    }
  });
}

test('half a character at the end of a body is a fault', () => {
  const body = Buffer.concat([utf16('id\n7\n', false), Buffer.of(0x41)]);
  assert.match(failureOf(body, { response: { format: 'csv', encoding: 'utf-16le' } }), /^ERR_UTF8/);
});

test.run();
