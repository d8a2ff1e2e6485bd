/** Texts broken at random places: what readers and the scanner must agree on. */
import fc from 'fast-check';

/** Fragments that change the meaning of a JSON text. */
export const fragments = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', ' ', '\n', '\x00', '\x1e'],
  ...['0', '-', '.', 'e', '1.', '01', 'true', 'nul', '\\u12', '\\x'],
];

const edit = fc.record({
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.integer({ min: 0, max: 3 }),
  added: fc.oneof(
    fc.constantFrom(...fragments, '').map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 2 }),
  ),
});

/** The texts with up to `most` places changed. */
export const mutationsOf = (texts: fc.Arbitrary<string | Buffer>, most: number): fc.Arbitrary<Buffer> =>
  fc.tuple(texts, fc.array(edit, { maxLength: most })).map(([text, edits]) =>
    edits.reduce((bytes, { place, removed, added }) => {
      const from = Math.floor(place * (bytes.length + 1));
      return Buffer.concat([bytes.subarray(0, from), added, bytes.subarray(from + removed)]);
    }, Buffer.from(text)),
  );
