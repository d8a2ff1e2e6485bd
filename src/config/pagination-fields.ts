/** The keys of `api.pagination` beside any method, and their reference pages. docs/08-pagination.md. */
import { boolean, integer, nonEmptyString } from '../language/fields.js';
import type { AnyFields } from '../language/types.js';

/** Keys beside any method that are no stopping conditions. */
export const besideMethod = {
  // Without effect, but validated as in Generic Extractor. docs/12-compatibility.md#the-document.
  pages: { type: integer, summary: 'a whole number; has no effect' },
  totalKey: {
    type: nonEmptyString,
    summary: 'path in each response to the total number of items',
    otherwise: 'well-known places, if they are unambiguous',
  },
  allowRepeatedItems: {
    type: boolean,
    summary: 'whether pages with the items of earlier pages are correct',
    default: 'false',
  },
} satisfies AnyFields;

/** The reference page about repeated items. */
export const repeatsCheck = {
  summary: 'beside any method, or in a job: allows repeated items',
  fields: { allowRepeatedItems: besideMethod.allowRepeatedItems },
  rules: [
    'Without it, a page with the items of the page before it is the warning `repeated-items`. Ten such pages in a row, or a sequence of pages whose items repeat, are the error `ERR_LOOP`.',
    'The value in a job takes precedence over its pagination. In a data folder, repeated items are only a warning.',
    'It does not allow pages that repeat as a whole, with everything around the items.',
  ],
  example: '{ "method": "response.url", "urlKey": "next", "allowRepeatedItems": true }',
};

/** The reference page about the total. */
export const totalCheck = {
  summary: 'beside any method, or without one: compares the number of items with the total that the API reports',
  fields: { totalKey: besideMethod.totalKey },
  rules: [
    'If a job ends by itself with another number, that is the warning `total-mismatch`. If the first page has no number there, that is the warning `no-total`.',
    'Without it, well-known names and headers are used, such as `meta.total` and `X-Total-Count`, if they are unambiguous.',
    'There is no warning for a job that skips the beginning, or that a condition or a limit has ended.',
  ],
  example: '{ "method": "pagenum", "limit": 100, "totalKey": "meta.total" }',
};
