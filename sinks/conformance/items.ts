/** Compares the items of batches with the items read back. */
import type { Batch } from '../../src/core/model/batch.js';

/** The items of batches, one JSON text each. */
export function linesOf(...batches: readonly Batch[]): readonly string[] {
  return batches.flatMap(({ bytes }) => Buffer.from(bytes).toString().split('\n').slice(0, -1));
}

/** Throws an error that describes the first difference. */
export function mustEqual(found: readonly string[], expected: readonly string[]): void {
  const at = expected.findIndex((line, index) => found[index] !== line);
  if (at >= 0 && at < found.length) {
    throw new Error(`item ${at + 1}: expected ${short(expected[at])}, found ${short(found[at])}`);
  }
  if (found.length !== expected.length) throw new Error(`expected ${expected.length} items, found ${found.length}`);
}

/** Throws unless the found items are a prefix of the expected ones. */
export function mustBegin(found: readonly string[], expected: readonly string[]): void {
  mustEqual(found, expected.slice(0, found.length));
}

const short = (text = 'nothing') => (text.length > 60 ? `${text.slice(0, 60)}...` : text);
