/** The values of `prefetch`, in a configuration and as an option. */
import type { Prefetch } from './types.js';

/** More would be no courtesy to an API. */
export const mostPrefetched = 100;

export const prefetchType = `a whole number from 0 to ${mostPrefetched}, or "auto"`;

export const isPrefetch = (value: unknown): value is Prefetch =>
  value === 'auto' ||
  (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= mostPrefetched);
