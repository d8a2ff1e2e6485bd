/** The values of `prefetch`, in a configuration, as a flag and in code. */
import { kind } from '../core/options/kind.js';
import { digitsSchema, numberOf, whole } from '../core/options/kinds.js';
import type { Paginator, Prefetch } from './types.js';

/** More would be no courtesy to an API. */
const mostPrefetched = 100;

/** Without the option. */
export const defaultPrefetch = 0;

const count = whole(0, mostPrefetched);

/** How many pages are requested ahead. */
export const prefetch = kind<Prefetch>(
  `${count.struct.type}, or "auto"`,
  (value) => value === 'auto' || count.struct.is(value),
  {
    fromExact: numberOf,
    schema: { ...digitsSchema(0, '\\d+(\\.0*)?|auto'), maximum: mostPrefetched },
    text: { read: numberOf, expected: `${count.struct.type}, or auto`, value: 'K|auto' },
    offers: ['auto'],
  },
);

/** How many pages of a walk are requested ahead: what the run says, or else its pagination. */
export const prefetchOf = (ofRun: Prefetch | undefined, { prefetch = defaultPrefetch }: Pick<Paginator, 'prefetch'>) =>
  ofRun ?? prefetch;
