/** Sample batches of the conformance kit. */
import { ExactNumber } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import { batchOf } from '../batch.js';

/** Creates batches of `items` items each, numbered across batches. */
export function numbered(dataType: string, batches: number, items: number): readonly Batch[] {
  const batchAt = (batch: number) => Array.from({ length: items }, (_, item) => ({ n: batch * items + item }));
  return Array.from({ length: batches }, (_, batch) => batchOf(dataType, batchAt(batch)));
}

/** Two small batches. */
export function pair(dataType: string): readonly [Batch, Batch] {
  return [batchOf(dataType, [{ n: 1 }, { n: 2 }]), batchOf(dataType, [{ n: 3 }])];
}

/** Two batches of 1 MB, nearly all of it one item. */
export function large(dataType: string): readonly Batch[] {
  const long = 'x'.repeat(1 << 20);
  return [1, 2].map((n) => batchOf(dataType, [{ n }, { n, long }, { n }]));
}

/** Digits beyond 2^53, a significant trailing zero, unsorted member names, characters that writers often escape. */
export function awkward(dataType: string): Batch {
  return batchOf(dataType, [
    new Map([['id', new ExactNumber('12345678901234567890')]]),
    new Map([['price', new ExactNumber('1.0')]]),
    { b: 1, a: 2, '': null },
    { text: 'č 語 😀 \u2028 \\ " \n \u0000 \u007f </script>' },
    ['a list', [[]], {}],
    'a text',
    null,
  ]);
}
