/** Pagination by page number. */
import type { Job } from '../core/model/job.js';
import type { OptionRows } from '../core/options/kind.js';
import { whole } from '../core/options/kinds.js';
import type { Component } from '../language/component.js';
import { boolean, stringOrPath } from '../language/kinds.js';
import { numberParam, sizeOf, sizingFields, underflow } from './page-size.js';
import { bodyParams, jobRequest, ownValue, pathRule, shownParam, withParam } from './param.js';
import type { Paginator } from './types.js';
import { isEmpty } from './values.js';

const fields = {
  ...sizingFields,
  pageParam: {
    kind: stringOrPath,
    summary: 'the parameter for the page number',
    default: 'page',
    emptyIsAbsent: true,
  },
  firstPageParams: {
    kind: boolean,
    summary: 'false: the first request has neither page number nor page size',
    default: true,
  },
  firstPage: { kind: whole(), summary: 'the number of the first page', default: 1, emptyIsAbsent: 'but zero' },
} satisfies OptionRows;

export const pagenum: Component<typeof fields, Paginator> = {
  summary: 'sends the page number, until a page is shorter than the limit',
  fields,
  rules: [
    'Each request adds 1 to the page number.',
    'It ends at a page with fewer items than the limit, or with none. Without a limit only an empty page is the end.',
    'If the job has a parameter named like `limitParam`, that is the limit of the job. The method replaces a job parameter named like `pageParam`.',
    pathRule,
  ],
  example: '{ "method": "pagenum", "limit": 100, "limitParam": "count" }',

  create({ limit, limitParam, pageParam, firstPageParams, firstPage }) {
    /**
     * Parameters keep their places in the job; new ones follow: page, then limit. The job's own limit stays as written.
     */
    const withPage = (job: Job, page: number) => {
      const request = withParam(jobRequest(job), pageParam, numberParam(page));
      const isOwn = limit === 0 || !isEmpty(ownValue(job.params, limitParam));
      return isOwn ? request : withParam(request, limitParam, numberParam(limit));
    };

    return {
      captures: [],
      counter: shownParam(pageParam),
      bodyParams: bodyParams({ limitParam, pageParam }),
      skips: () => firstPage > 1,
      first: (job) => (firstPageParams ? withPage(job, firstPage) : jobRequest(job)),
      requestAt: (job, index) => withPage(job, firstPage + index),
      sizeOf: ({ params }) => sizeOf(params, { limitParam, limit }).limit,
      next: (job, { index, count }) =>
        underflow(job, count, { limitParam, limit }) ?? withPage(job, firstPage + index + 1),
    };
  },
};
