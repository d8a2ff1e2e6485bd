/** The keys that say how the API rejects a token. */
import { coerce, define, unknown } from 'superstruct';
import { isNumber } from '../core/json/exact.js';
import { integerSchema, name } from '../language/fields.js';
import { withJsonSchema } from '../language/json-schema.js';
import { listOf } from '../language/object-fields.js';
import type { Fields } from '../language/types.js';
import type { RejectionRule } from './types.js';

export interface RefusalOptions {
  readonly refusedBy?: readonly number[];
  readonly refusedText?: string;
}

/** A response below 400 is a page, unless its text says otherwise. */
const failure = withJsonSchema(
  coerce(
    define<number>('a status from 400 to 599', (value) => typeof value === 'number' && value >= 400 && value <= 599),
    unknown(),
    (value) => {
      const text = isNumber(value) ? value.text : value;
      return typeof text === 'string' && /^\d{3}$/.test(text) ? Number(text) : value;
    },
  ),
  () => ({ ...integerSchema(400, '[45]\\d\\d'), maximum: 599 }),
);

export const refusalFields: Fields<RefusalOptions> = {
  refusedBy: {
    type: listOf(failure, 'statuses'),
    default: '[401]',
    emptyIsAbsent: true,
    summary: 'statuses that mean that the API rejects the token; replaces the default list',
  },
  refusedText: {
    type: name,
    emptyIsAbsent: true,
    otherwise: 'only `refusedBy` counts',
    summary: 'a text in the first 4 KiB of a response, with any status, that means that the API rejects the token',
  },
};

/** Returns the rejection rule of the options; absent ones have their defaults. */
export const refusalOf = ({ refusedBy = [401], refusedText }: RefusalOptions): RejectionRule => ({
  statuses: new Set(refusedBy),
  ...(refusedText === undefined ? {} : { text: refusedText }),
});
