/** Pagination by offset. docs/03-pagination.md#offset, docs/12-compatibility.md#how-conflicts-were-decided. */

import { ExtractError } from '../core/errors/errors.js';
import type { Job } from '../core/model/job.js';
import type { OptionRows } from '../core/options/kind.js';
import { whole } from '../core/options/kinds.js';
import type { Component } from '../language/component.js';
import { boolean, stringOrPath } from '../language/kinds.js';
import { checkAdvance } from './overlapping-pages.js';
import { integerOf, numberParam, sizeOf, underflow } from './page-size.js';
import { bodyParams, jobRequest, ownValue, pathRule, sentValue, shownParam, withParam } from './param.js';
import { foldRecent } from './recent-items.js';
import type { Paginator } from './types.js';
import { isEmpty } from './values.js';

const fields = {
  limit: { kind: whole(1), summary: 'the page size', required: true },
  limitParam: {
    kind: stringOrPath,
    summary: 'the parameter for the page size',
    default: 'limit',
    emptyIsAbsent: true,
  },
  offsetParam: {
    kind: stringOrPath,
    summary: 'the parameter for the number of items to skip',
    default: 'offset',
    emptyIsAbsent: true,
  },
  firstPageParams: {
    kind: boolean,
    summary: 'false: the first request has neither offset nor page size',
    default: true,
  },
  offsetFromJob: {
    kind: boolean,
    summary: 'whether the first offset is the parameter of that name in the job',
    default: false,
  },
  repair: {
    kind: boolean,
    summary: 'whether pages are requested with an overlap, so that items that move during the pull come once',
    default: false,
  },
} satisfies OptionRows;

/** So many items of the page before are requested again; of small pages the half. */
const mostOverlap = 10;
const overlapOf = (size: number): number => Math.min(mostOverlap, Math.floor(size / 2));

export const offset: Component<typeof fields, Paginator> = {
  summary: 'sends the number of items to skip, until a page is shorter than the limit',
  fields,
  rules: [
    'The first offset is 0. Each request adds the limit to it, even if a page has another number of items.',
    'It ends at a page with fewer items than the limit, or with none.',
    'If the job has a parameter named like `limitParam`, that is the limit of the job. If it is not a number, only an empty page is the end, and offsets count the received items.',
    'The method replaces a job parameter named like `offsetParam`.',
    'With `repair` each page begins 10 items before the end of the page before (with a limit below 20, half a page), and items that are there already are dropped: `limit` must be 2 or more. A page that does not join the one before it is the warning `shifted-page`.',
    pathRule,
  ],
  example: '{ "method": "offset", "limit": 100, "offsetParam": "skip" }',

  create({ limit, limitParam, offsetParam, firstPageParams, offsetFromJob, repair }) {
    if (repair && limit === 1) throw new ExtractError('ERR_CONFIG', noOverlap);
    const sizing = { limitParam, limit };
    const startOf = ({ params }: Job) => (offsetFromJob ? integerOf(ownValue(params, offsetParam)) : 0);

    /**
     * Parameters keep their places in the job; new ones follow: limit, then offset. The job's own limit stays as
     * written.
     */
    const from = (job: Job, first: number) => {
      const isOwn = !isEmpty(ownValue(job.params, limitParam));
      const sized = isOwn ? jobRequest(job) : withParam(jobRequest(job), limitParam, numberParam(limit));
      return withParam(sized, offsetParam, numberParam(first));
    };

    return {
      captures: [],
      counter: shownParam(offsetParam),
      bodyParams: bodyParams({ limitParam, offsetParam }),
      skips: (job) => startOf(job) > 0,
      first: (job) => (firstPageParams ? from(job, startOf(job)) : jobRequest(job)),
      ...(repair ? { repairs: true as const, judgesRepeats: true as const, fold: foldRecent } : {}),
      requestAt(job, index) {
        if (repair) return undefined;
        const size = sizeOf(job.params, sizing).limit;
        return size === undefined ? undefined : from(job, startOf(job) + size * index);
      },
      sizeOf: ({ params }) => sizeOf(params, sizing).limit,
      next(job, { index, count, items, received, request }) {
        const size = sizeOf(job.params, sizing).limit;
        if (repair && size !== undefined) {
          const start = index === 0 ? startOf(job) : integerOf(sentValue(request, offsetParam));
          checkAdvance(start - startOf(job), items, shownParam(offsetParam));
          return underflow(job, received, sizing) ?? from(job, start + received - overlapOf(size));
        }
        const passed = size === undefined ? items : size * (index + 1);
        return underflow(job, count, sizing) ?? from(job, startOf(job) + passed);
      },
    };
  },
};

const noOverlap = 'with `repair` pages overlap by an item at least; expected a `limit` of 2 or more';
