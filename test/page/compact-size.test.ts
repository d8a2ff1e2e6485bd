/** The size of a response as Generic Extractor would write it, however it was formatted. */
import fc from 'fast-check';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createVolume } from '../../src/page/compact-size.js';

/** Feeds the body in pieces of a size. */
function volumeOf(body: string, size = Number.POSITIVE_INFINITY): number {
  const bytes = Buffer.from(body);
  const volume = createVolume();
  for (let at = 0; at < bytes.length; at += size) volume.add(bytes.subarray(at, at + size));
  return volume.bytes();
}

const cases: readonly (readonly [body: string, written: string])[] = [
  ['{ "a" : [ 1.0, -2e3, true,\r\n\tnull ] }', '{"a":[1.0,-2e3,true,null]}'],
  ['"a/b"', '"a\\/b"'],
  ['"a\\/b"', '"a\\/b"'],
  ['"  a b "', '"  a b "'],
  ['"é"', '"\\u00e9"'],
  ['"€"', '"\\u20ac"'],
  ['"😀"', '"\\ud83d\\ude00"'],
  ['"\\ud83d\\ude00"', '"\\ud83d\\ude00"'],
  ['"\\u00E9"', '"\\u00e9"'],
  ['"\\u0041\\u007f"', '"A\x7f"'],
  ['"\\u002f\\u0022\\u005C"', '"\\/\\"\\\\"'],
  ['"\\u000a\\u0009\\u0008\\u000C\\u000d"', '"\\n\\t\\b\\f\\r"'],
  ['"\\u0000\\u001f"', '"\\u0000\\u001f"'],
  ['"\\"\\\\\\n"', '"\\"\\\\\\n"'],
  ['"\\\\u00e9"', '"\\\\u00e9"'],
  ['\uFEFF [ ]\n', '[]'],
  ['', ''],
];

for (const [body, written] of cases) {
  test(`${JSON.stringify(body)} counts as ${written || 'nothing'}`, () => {
    for (const size of [1, 2, 3, 100]) assert.is(volumeOf(body, size), written.length, `in pieces of ${size}`);
  });
}

const asReference = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

test("any document, however formatted, has the length of Generic Extractor's output", () => {
  const document = fc.jsonValue({ stringUnit: 'binary' });
  fc.assert(
    fc.property(
      document,
      fc.constantFrom(undefined, 2, '\t'),
      fc.integer({ min: 1, max: 9 }),
      (value, indent, size) => {
        const whole = asReference(value);
        assert.is(volumeOf(JSON.stringify(value, null, indent), size), whole.length);
        assert.is(volumeOf(whole, size), whole.length);
      },
    ),
  );
});

test.run();
