/** Bodies of recordings: no secret remains, JSON remains JSON, and nothing else changes. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { createBodyMask } from '../../src/recording/mask-body.js';
import { finds } from '../security/finding.js';
import { encodings } from '../security/ways.js';

const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const secret = `pläntéd "s3cr&t"/+ <x>\\y`;
const sizes = { part: 700, kept: 300, most: 4000 };

function secretsOf(...values: readonly string[]) {
  const secrets = createSecrets();
  for (const value of values) secrets.add(value);
  return secrets;
}

function maskIn(bytes: Uint8Array, values: readonly string[], chunkBytes: number, how: 'whole' | 'cut' = 'whole') {
  const mask = createBodyMask(secretsOf(...values), 'r.jsonl', { sizes });
  const parts = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) parts.push(...mask.push(bytes.subarray(at, at + chunkBytes)));
  parts.push(...mask.end(how));
  const buffers = parts.map(({ line, value }) => Buffer.from(value, line === 'text' ? 'utf8' : 'latin1'));
  return { bytes: Buffer.concat(buffers), masked: parts.reduce((sum, each) => sum + each.masked, 0), parts };
}

const textOf = (body: string, values: readonly string[], chunkBytes = 100) =>
  maskIn(Buffer.from(body), values, chunkBytes).bytes.toString();

const encoded = fc.constantFrom(...Object.values(encodings)).map((encode) => encode(secret));
const piece = fc.oneof(encoded, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
const member = fc.record({ id: fc.integer(), text: fc.array(piece, { maxLength: 4 }).map((all) => all.join(' ')) });
const documents = fc.array(member, { minLength: 1, maxLength: 40 });

test(`no encoding of a secret remains, wherever a chunk or a part ends; JSON remains (SEED=${seed})`, () => {
  const check = (items: readonly object[], chunkBytes: number) => {
    const text = textOf(JSON.stringify(items), [secret], chunkBytes);
    assert.not(finds(text, secret));
    assert.is(JSON.parse(text).length, items.length);
  };
  fc.assert(fc.property(documents, fc.integer({ min: 1, max: 2000 }), check), { seed, numRuns: 150 });
});

test(`without a secret in it, each JSON is the same byte for byte (SEED=${seed})`, () => {
  const check = (value: unknown, chunkBytes: number) => {
    const body = Buffer.from(JSON.stringify([value]));
    assert.ok(maskIn(body, ['no such secret'], chunkBytes).bytes.equals(body));
  };
  fc.assert(fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 2000 }), check), { seed, numRuns: 300 });
});

const jsonRows: readonly [what: string, body: string, secrets: readonly string[], masked: string][] = [
  ['a text', '{"a":"x secret y"}', ['secret'], '{"a":"x *** y"}'],
  ['a name', '{"secret":1}', ['secret'], '{"***":1}'],
  ['a number', '[123456]', ['123456'], '[1]'],
  ['a part of a number', '[-12345.50, 912345]', ['12345'], '[-1.50, 91]'],
  ['the rest of an escape', '["\\nabcd"]', ['nabcd'], '["***"]'],
  ['the rest of a code', '["\\u1234abcd"]', ['34abcd'], '["***"]'],
  ['an escaped quote before it', '["\\"", 123456, "\\\\", "123456"]', ['123456'], '["\\"", 1, "\\\\", "***"]'],
  ['more than a text', '["abc"]', ['["abc"]'], '***'],
];

for (const [what, body, secrets, masked] of jsonRows) {
  test(`masks ${what} so that JSON remains`, () => {
    for (const chunkBytes of [1, 3, 100]) assert.is(textOf(body, secrets, chunkBytes), masked);
  });
}

test('the state of JSON is that of all parts before', () => {
  const items = Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? 123456 : `say "123456" \\ ${index}`));
  const expected = items.map((each) => (typeof each === 'number' ? 1 : each.replace('123456', '***')));
  assert.equal(JSON.parse(textOf(JSON.stringify(items), ['123456'])), expected);
});

test('another body keeps its beginning on one line, as a message shows it', () => {
  assert.is(textOf('<p>\r\n  pläntéd\r\n "s3cr&t"/+\t<x>\\y</p>', [secret]), '<p> ***</p>');
  const long = maskIn(Buffer.from(`no JSON ${'x'.repeat(100_000)}`), [secret], 20_000);
  assert.is(long.parts.length, 1);
});

test('a body that ends within a secret keeps nothing of it', () => {
  assert.is(maskIn(Buffer.from('["pläntéd s'), ['pläntéd s3cret'], 4, 'cut').bytes.toString(), '["***');
  assert.is(maskIn(Buffer.from('not JSON: s3cr'), ['s3cret'], 4, 'cut').bytes.toString(), 'not JSON: ***');
});

test('bytes that are no UTF-8 remain, without a secret between them', () => {
  const bytes = Buffer.concat([Buffer.from('["'), Buffer.from([0xff, 0xfe, 0xe4]), Buffer.from('s3cret"]')]);
  const { bytes: masked, parts } = maskIn(bytes, ['s3cret'], 2);
  assert.is(masked.toString('latin1'), '["ÿþä***"]');
  assert.is(parts[0]?.line, 'bytes');
  assert.ok(maskIn(bytes, ['none of it'], 2).bytes.equals(bytes));
});

test('a text of one secret is masked whole, up to a limit', () => {
  const long = (count: number) => JSON.stringify([Buffer.from('s3cret-s3cret'.repeat(count)).toString('base64')]);
  assert.is(textOf(long(100), ['s3cret-s3cret']), '["***"]');
  assert.throws(
    () => maskIn(Buffer.from(long(2000)), ['s3cret-s3cret'], 1000),
    /^r\.jsonl: a body has a text of more than 4000 bytes that contains a secret$/,
  );
});

test.run();
