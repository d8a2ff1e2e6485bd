/** The keys of `api.pagination` beside any method, and their reference pages. docs/03-pagination.md. */
import { kind, type OptionRows } from '../core/options/kind.js';
import { nonEmptyText, numberOf, whole } from '../core/options/kinds.js';
import { listOf } from '../core/options/object-kinds.js';
import { boolean } from '../language/kinds.js';
import { defaultPrefetch, prefetch } from '../pagination/prefetch.js';

/** These say nothing about pages. */
const otherMeaning = [401, 407, 408, 429];

const status = whole(400, 499, { digits: '4\\d\\d' });

const endStatus = kind<number>(
  'a status from 400 to 499 other than 401, 407, 408 and 429',
  (value) => status.struct.is(value) && otherMeaning.every((each) => each !== value),
  { fromExact: numberOf, schema: (write) => ({ ...write.of(status), not: { enum: otherMeaning } }) },
);

/** Keys beside any method that are no stopping conditions. */
export const besideMethod = {
  // Without effect, but validated as in Generic Extractor. docs/12-compatibility.md#the-document.
  pages: { kind: whole(), summary: 'a whole number; has no effect' },
  totalKey: {
    kind: nonEmptyText,
    summary: 'path in each response to the total number of items',
    otherwise: 'well-known places, if they are unambiguous',
  },
  allowRepeatedItems: {
    kind: boolean,
    mayChangeOnResume: true,
    summary: 'whether pages with the items of earlier pages are correct',
    default: false,
  },
  endStatuses: {
    kind: listOf(endStatus, 'statuses'),
    emptyIsAbsent: true,
    otherwise: 'none',
    summary: 'statuses that say that there are no more pages, such as 404',
  },
  prefetch: {
    kind: prefetch,
    mayChangeOnResume: true,
    summary: 'how many pages are requested ahead, with `pagenum` and `offset`',
    default: defaultPrefetch,
    emptyIsAbsent: true,
  },
  overlap: {
    kind: boolean,
    mayChangeOnResume: true,
    summary: 'whether the next page is requested as soon as its address is known, while the page still arrives',
    default: false,
  },
} satisfies OptionRows;

/** The reference page about statuses past the end. */
export const statusesPastTheEnd = {
  summary: 'beside any method: a response with one of these statuses, after the first page, is a page without items',
  fields: { endStatuses: besideMethod.endStatuses },
  rules: [
    'It has neither values nor headers for the next request, so the job ends there. Its content does not matter.',
    'The first page is never ended this way: its status is an error, as for a wrong address.',
    'A listed status is not retried. 401, 407, 408 and 429 cannot be listed, since they say nothing about pages.',
  ],
  example: '{ "method": "pagenum", "limit": 100, "endStatuses": [404] }',
};

/** The reference page about requests while a page arrives. */
export const earlyRequests = {
  summary: 'beside methods that follow a value or a link: requests the next page while this one still arrives',
  fields: { overlap: besideMethod.overlap },
  rules: [
    'The next request is sent when the value at `responseParam` or `urlKey`, or the header, has arrived. Items arrive in the same order as without it.',
    'If the value changes afterwards, because a member is repeated, the response is dropped and the right request is sent.',
    'It works with `response.param`, `response.url`, `zendesk.response.url`, `link-header` and `response.header`. With another method, with a stopping condition, with child jobs, with another HTTP method than GET, and if the login has `expires: 0`, it is an error.',
    'With `--max-items`, pages are requested one after the other.',
  ],
  example: '{ "method": "response.param", "responseParam": "next", "queryParam": "cursor", "overlap": true }',
};

/** The reference page about requests ahead. */
export const pagesAhead = {
  summary: 'beside `pagenum` or `offset`: requests the next pages while a page is read',
  fields: { prefetch: besideMethod.prefetch },
  rules: [
    'Items arrive in the same order as without it. The first page is requested alone.',
    'After a failure, a status 429 or a `Retry-After` the number is halved; it grows back with pages that arrive well. `auto` finds it, up to 16, from the latency of the API and the time that a page takes.',
    'Pages beyond the end are dropped with their failures. At most as many are requested as the number says, and none beyond a limit or a total that is known.',
    'With another method it is an error. A job that sends no GET, whose limit is not a number, or whose login has `expires: 0` requests page by page, with the warning `prefetch-not-used`.',
    'The option `--prefetch` replaces it.',
  ],
  example: '{ "method": "pagenum", "limit": 100, "prefetch": 8 }',
};

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
