/** The values of `prefetch`, in a configuration, as a flag and in code. */
import { kind } from '../core/options/kind.js';
import { digitsSchema, numberOf } from '../core/options/kinds.js';
import type { Prefetch } from './types.js';

/** More would be no courtesy to an API. */
const mostPrefetched = 100;

/** How many pages are requested ahead. */
export const prefetch = kind<Prefetch>(`a whole number from 0 to ${mostPrefetched}, or "auto"`, isPrefetch, {
  fromExact: numberOf,
  schema: { ...digitsSchema(0, '\\d+(\\.0*)?|auto'), maximum: mostPrefetched },
  text: { read: numberOf, expected: `a whole number from 0 to ${mostPrefetched}, or auto`, value: 'K|auto' },
  offers: ['auto'],
});

function isPrefetch(value: unknown): boolean {
  return value === 'auto' || (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= mostPrefetched);
}
