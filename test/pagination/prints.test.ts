import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPrints, fingerprint } from '../../src/pagination/prints.js';

const print = (chain: readonly bigint[], items: bigint | undefined, request = 'r') =>
  fingerprint({ chain, items, request: () => request });

/** Fingerprints of pages in the order given. */
function printsOf(...all: readonly bigint[]) {
  const prints = createPrints();
  all.forEach(prints.add);
  return prints;
}

test('distinguishes pages and their items', () => {
  const prints = printsOf(print([1n, 7n], 7n), print([2n, 7n], 7n), print([1n, 7n], 7n), print([1n, 8n], 8n));
  assert.equal(
    [1, 2, 3].map((index) => [prints.isSamePage(0, index), prints.hasSameItems(0, index)]),
    [
      [false, true],
      [true, true],
      [false, false],
    ],
  );
});

for (const bit of Array.from({ length: 96 }, (_, index) => index)) {
  test(`bit ${bit} of a fingerprint counts`, () => {
    const prints = printsOf(0n, 1n << BigInt(bit));
    assert.is(prints.isSamePage(0, 1), bit < 48);
    assert.is(prints.hasSameItems(0, 1), bit >= 48);
    assert.is(prints.hasItems(1), bit !== 47);
  });
}

test('pages without items have equal items if they answer the same request', () => {
  const prints = printsOf(print([1n], undefined, 'a'), print([2n], undefined, 'a'), print([3n], undefined, 'b'));
  assert.equal([prints.hasSameItems(0, 1), prints.hasSameItems(0, 2)], [true, false]);
  assert.equal([prints.hasItems(0), printsOf(print([1n], 0n)).hasItems(0)], [false, true]);
});

test('a page without items is never one with some', () => {
  const empty = print([1n], undefined, 'a');
  assert.not(printsOf(empty, print([1n], BigInt.asUintN(47, empty))).hasSameItems(0, 1));
});

test('a page without a body has its own fingerprint', () => {
  const prints = printsOf(print([], undefined), print([1n], undefined));
  assert.not(prints.isSamePage(0, 1));
});

for (const count of [0, 1, 31, 32, 33, 1023, 1024, 1025, 5000]) {
  test(`${count} of them survive conversion to text and back, 12 bytes each`, () => {
    const all = Array.from({ length: count }, (_, index) => (BigInt(index) << 77n) + BigInt(index * 7919));
    const text = printsOf(...all).toText();
    assert.is(Buffer.from(text, 'base64').length, count * 12);
    const again = createPrints(text);
    assert.equal([...again.all()], all);
    again.add(5n);
    assert.equal([again.length, [...again.all()].at(-1)], [count + 1, 5n]);
  });
}

test.run();
