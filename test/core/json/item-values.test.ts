/** The values of many items at once are those of `JSON.parse` for each, whatever their characters and sizes. */
import * as fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { itemValues } from '../../../src/core/json/item-values.js';
import { joinItems } from '../../../src/core/model/batch.js';

const slabOf = (lines: readonly string[]) => joinItems(lines.map((line) => Buffer.from(`${line}\n`)));

function agrees(lines: readonly string[]): void {
  const { bytes, offsets } = slabOf(lines);
  assert.equal(
    itemValues(bytes, offsets),
    lines.map((line) => JSON.parse(line)),
  );
}

/** Repeats the text up to a number of bytes of JSON, with its quotes and newline. */
function lineOf(text: string, bytes: number): string {
  const size = Buffer.byteLength(text);
  const room = bytes - 3;
  return JSON.stringify(text.repeat(Math.floor(room / size)) + 'x'.repeat(room % size));
}

const kinds = { ASCII: 'a', 'Latin-1': 'é', 'more than Latin-1': 'ž', Chinese: '漢', emoji: '😀' };

for (const [kind, text] of Object.entries(kinds)) {
  test(`reads texts of ${kind} of each length, so that each place of a vector has them`, () => {
    const lines = Array.from({ length: 70 }, (_, length) =>
      JSON.stringify('x'.repeat(length % 17) + text.repeat(length)),
    );
    agrees(lines);
    for (const line of lines) agrees([line]);
  });

  test(`reads items of ${kind} whose bytes end around the limit of a piece`, () => {
    for (const more of [-2, -1, 0, 1, 2]) {
      const line = lineOf(text, 65_536 + more);
      assert.is(Buffer.byteLength(line) + 1, 65_536 + more);
      agrees([line]);
      agrees(['1', line, '[2]']);
      agrees([lineOf(text, 40_000), lineOf(text, 25_536 + more), '{}']);
    }
  });
}

test('reads bytes in shared memory, and of a slab that begins within a larger one', () => {
  const lines = [lineOf('é', 1000), lineOf('a', 70_000), lineOf('ž', 70_000), '"ž"'];
  const { bytes, offsets } = slabOf(lines);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 3), 3);
  shared.set(bytes);
  assert.equal(itemValues(shared, offsets), itemValues(bytes, offsets));
});

test('invalid UTF-8 becomes U+FFFD, as in a decoded text', () => {
  for (const bad of [[0x80], [0xc3, 0x41], [0xc1, 0x81], [0xc4], [0xff], [0xe2, 0x82], [0xc3]]) {
    const bytes = Buffer.concat([Buffer.from('"'), Buffer.from(bad), Buffer.from('"\n')]);
    assert.equal(itemValues(bytes, Uint32Array.of(0, bytes.length)), [JSON.parse(bytes.toString())]);
  }
});

test('no items have no values, and broken ones throw', () => {
  assert.equal(itemValues(new Uint8Array(), Uint32Array.of(0)), []);
  assert.throws(() => itemValues(Buffer.from('{"a":}\n'), Uint32Array.of(0, 7)), /JSON/);
});

test('whatever the items are, their values are those of each line', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('a', 'é', 'ÿ', 'Ā') }),
  );
  const items = fc.array(fc.oneof(fc.jsonValue(), text, fc.array(text, { maxLength: 40 })), { maxLength: 60 });
  fc.assert(
    fc.property(items, fc.nat({ max: 3000 }), (values, pad) => {
      const lines = values.map((value) => JSON.stringify(value));
      const long = JSON.stringify('é'.repeat(pad));
      agrees(lines.flatMap((line, index) => (index % 3 === 0 ? [line, long] : [line])));
    }),
    { numRuns: 200 },
  );
});

test.run();
