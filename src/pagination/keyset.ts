/** Pagination by the key of the last item: `starting_after`, `since_id`, `startkey`. */

import { ExtractError } from '../core/errors/errors.js';
import { type Exact, type ExactNumber, splitPath, stringifyExact } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { Notice } from '../core/model/notice.js';
import type { Page } from '../core/model/page.js';
import type { PageRequest } from '../core/model/request.js';
import type { OptionRows, OptionsOf } from '../core/options/kind.js';
import { nonEmptyText, word } from '../core/options/kinds.js';
import { nearestPath } from '../core/util/suggest.js';
import type { Component } from '../language/component.js';
import { boolean, nonEmptyStringOrPath } from '../language/kinds.js';
import { createLastKeys } from './last-key.js';
import { flagAt } from './next-page-flag.js';
import { numberParam, type Sizing, sizeOf, sizingFields, underflow } from './page-size.js';
import { bodyParams, jobRequest, ownValue, pathRule, sentValue, shownParam, withParam } from './param.js';
import type { Paginator, Stop } from './types.js';
import { isEmpty } from './values.js';

const fields = {
  field: { kind: nonEmptyText, summary: 'path in each item to its key, a string or a number', required: true },
  param: {
    kind: nonEmptyStringOrPath,
    summary: 'the parameter that carries the key of the last item',
    required: true,
  },
  ...sizingFields,
  moreField: {
    kind: nonEmptyText,
    summary: 'path in the response to a flag that says whether more items follow',
    otherwise: 'the number of items decides',
    emptyIsAbsent: true,
  },
  inclusive: {
    kind: boolean,
    summary: 'whether the API repeats the item whose key was sent; the repeated item is dropped',
    default: false,
  },
  encode: {
    kind: word('json'),
    summary: '`json` sends the key as JSON, a string in quotes',
    otherwise: 'the key is sent unchanged',
    emptyIsAbsent: true,
  },
} satisfies OptionRows;

type KeysetOptions = OptionsOf<typeof fields>;

export const keyset: Component<typeof fields, Paginator> = {
  summary: 'requests the items after the key of the last item, until there are none',
  fields,
  rules: [
    'The first request is the job itself, with the page size. The next requests set `param` to the key of the last item of the page before, with all its digits.',
    'It ends at a page without items, or with fewer items than the limit. With `moreField`, it ends if that flag is false (as defined by `nextPageFlag`), absent or null; a page with fewer items does not end it while the flag is true.',
    'With `inclusive`, items at the start of a page that have the sent key are dropped, as many as the page before had. A page with no other item is the end. The limit counts these items too, so it must be 2 or more.',
    'If the last item has no key, or one that is neither a string nor a number, that is the error `ERR_PAGINATION`. If a page leads to the key that it was requested with, that is `ERR_LOOP`.',
    'If the job has a parameter named like `limitParam`, that is the limit of the job. If it has one named like `param`, the first request starts there.',
    pathRule,
  ],
  example: '{ "method": "keyset", "field": "id", "param": "starting_after", "limit": 100, "moreField": "has_more" }',

  create(options) {
    const { field, param, limit, limitParam, inclusive, encode } = options;
    if (inclusive && limit === 1) throw new ExtractError('ERR_CONFIG', onlyRepeats);
    const sizing = { limitParam, limit };
    const keys = createLastKeys(field, { counts: inclusive });
    const more = options.moreField === undefined ? undefined : moreFlag(options.moreField);
    const first = (job: Job): PageRequest => withPageSize(job, sizing);

    return {
      captures: more?.captures ?? [],
      cursor: param,
      bodyParams: bodyParams({ param, limitParam: sizing.limitParam }),
      skips: (job) => ownValue(job.params, param) !== undefined,
      judgesRepeats: true,
      first,
      fold: keys.fold,
      ...(inclusive ? { repeated: keys.repeated } : {}),
      next(job, page) {
        const value = page.count > 0 ? sentAs(keys.keyOf(page.memo), encode, field) : undefined;
        const end = endOf(job, page, { sizing, ...(more === undefined ? {} : { more }) });
        if (end !== undefined) return end;
        if (inclusive && page.count === 0 && page.received === 1) return afterRepeated(job, sizing);
        const before = page.index > 0 ? sentValue(page.request, param) : undefined;
        if (value === undefined || isSame(value, before)) throw unchanged(options);
        return withParam(first(job), param, value);
      },
    };
  },
};

/** The flag decides about a short page: if the API has its own limit, or filters items, more pages may follow. */
function endOf(job: Job, page: Page, { sizing, more }: { sizing: Sizing; more?: MoreFlag }): Stop | undefined {
  const short = underflow(job, page.received, sizing);
  const followed = page.count > 0 && more?.isSet(page) === true;
  return followed ? undefined : (short ?? more?.endOf(job, page));
}

type MoreFlag = ReturnType<typeof moreFlag>;

/** The job's request with the page size, unless the job sets one. */
function withPageSize(job: Job, { limitParam, limit }: Sizing): PageRequest {
  const isOwn = limit === 0 || !isEmpty(ownValue(job.params, limitParam));
  return isOwn ? jobRequest(job) : withParam(jobRequest(job), limitParam, numberParam(limit));
}

/** Throws ERR_PAGINATION for an empty text without quotes, which an API reads as no key. */
function sentAs(key: string | ExactNumber, encode: KeysetOptions['encode'], field: string): string | ExactNumber {
  if (encode === 'json') return stringifyExact(key);
  if (key !== '') return key;
  throw new ExtractError('ERR_PAGINATION', `expected a string or a number at "${field}" of the last item, found ""`);
}

/** Reads a flag of the response. If it is missing on the first page, it may be misspelt. */
function moreFlag(field: string) {
  const { path, captures, isSet } = flagAt(splitPath(field));
  return {
    captures,
    isSet,
    endOf(job: Job, page: Page): Stop | undefined {
      const flag = isSet(page);
      if (flag === true) return undefined;
      if (flag === false) return { stop: `"${field}" is false`, by: 'flag' };
      const captured = page.envelope.get(path.text);
      const [stop, by] = [`no "${field}"`, 'flag' as const];
      if (page.index > 0 || captured === undefined || captured.value === null) return { stop, by };
      const near = nearestPath(path.segments, captured);
      return near === undefined
        ? { stop, by }
        : { stop, by, warning: { ...missing(field, near), job: job.name, page: 0 } };
    },
  };
}

/** Single pages without the flag are common, so it is reported only if a similar name exists. */
const missing = (field: string, near: string): Notice => ({
  level: 'warning',
  code: 'missing-more-field',
  message: `the first page has no "${field}" (\`moreField\`): its pagination ends there; did you mean "${near}"?`,
});

const onlyRepeats =
  'with `inclusive` a page of one item could only repeat the one before it; expected a `limit` of 2 or more';

/** The page contains only the item whose key was sent. */
function afterRepeated(job: Job, sizing: Sizing): Stop {
  if (sizeOf(job.params, sizing).limit === 1) throw new ExtractError('ERR_PAGINATION', onlyRepeats);
  return { stop: 'a page with only repeated items', by: 'repeated items' };
}

function unchanged({ param, field, inclusive }: KeysetOptions): ExtractError {
  const asked = `the page leads to the key that it was requested with ("${field}" of its last item)`;
  const cause = inclusive
    ? 'or more items have this key than a page holds: then raise `limit`'
    : 'or it repeats the item whose key was sent: then set `"inclusive": true`';
  const message = `pagination loop: ${asked}. Either the API does not know the parameter "${shownParam(param)}", ${cause}`;
  return new ExtractError('ERR_LOOP', message);
}

const isSame = (value: Exact, other: Exact | undefined): boolean =>
  other !== undefined && stringifyExact(value) === stringifyExact(other);
