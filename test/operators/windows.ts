/** What the tests of limits share: random rates, and the arithmetic of sliding windows. Moments are in ms, in order. */
import fc from 'fast-check';
import type { Rate } from '../../operators/index.js';

const rate = fc.record({ most: fc.integer({ min: 1, max: 12 }), ms: fc.integer({ min: 1, max: 400 }) });

export const rates: fc.Arbitrary<readonly Rate[]> = fc.array(rate, { minLength: 1, maxLength: 3 });

/** The first that begins within a window with more others than the rate allows; undefined: there is none. */
export const excess = (begun: readonly number[], { most, ms }: Rate): number | undefined =>
  begun.find((at, index) => (begun[index + most] ?? Number.POSITIVE_INFINITY) - at < ms);

/** The earliest moments for so many that are all there at `from`. */
export function earliest(given: readonly Rate[], count: number, from: number): readonly number[] {
  const begun: number[] = [];
  for (let at = 0; at < count; at += 1) {
    begun.push(Math.max(from, ...given.map(({ most, ms }) => (begun[at - most] ?? Number.NEGATIVE_INFINITY) + ms)));
  }
  return begun;
}
