/** Pagination by page number. */
import { ExtractError } from '../core/errors/errors.js';
import type { Job } from '../core/model/job.js';
import type { Page } from '../core/model/page.js';
import type { OptionRows } from '../core/options/kind.js';
import { whole } from '../core/options/kinds.js';
import type { Component } from '../language/component.js';
import { boolean, stringOrPath } from '../language/kinds.js';
import { checkAdvance, leastLimit, pageOver } from './overlapping-pages.js';
import { integerOf, numberParam, sizeOf, sizingFields, underflow } from './page-size.js';
import { bodyParams, jobRequest, ownValue, pathRule, sentValue, shownParam, withParam } from './param.js';
import { foldRecent } from './recent-items.js';
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
  repair: {
    kind: boolean,
    summary: 'whether pages are requested in sizes that overlap, so that items that move during the pull come once',
    default: false,
  },
  firstPage: { kind: whole(), summary: 'the number of the first page', default: 1, emptyIsAbsent: 'but zero' },
} satisfies OptionRows;

export const pagenum: Component<typeof fields, Paginator> = {
  summary: 'sends the page number, until a page is shorter than the limit',
  fields,
  rules: [
    'Each request adds 1 to the page number.',
    'It ends at a page with fewer items than the limit, or with none. Without a limit only an empty page is the end.',
    'With `repair` the sizes of pages vary between half the limit and the limit, so that each page begins before the end of the page before, and items that are there already are dropped: `limit` must be 25 or more. A page that does not join the one before it is the warning `shifted-page`.',
    'If the job has a parameter named like `limitParam`, that is the limit of the job. The method replaces a job parameter named like `pageParam`.',
    pathRule,
  ],
  example: '{ "method": "pagenum", "limit": 100, "limitParam": "count" }',

  create({ limit, limitParam, pageParam, firstPageParams, firstPage, repair }) {
    if (repair && limit < leastLimit) throw new ExtractError('ERR_CONFIG', tooSmall);
    const sizing = { limitParam, limit };
    /**
     * Parameters keep their places in the job; new ones follow: page, then limit. The job's own limit stays as written.
     */
    const withPage = (job: Job, page: number) => {
      const request = withParam(jobRequest(job), pageParam, numberParam(page));
      const isOwn = limit === 0 || !isEmpty(ownValue(job.params, limitParam));
      return isOwn ? request : withParam(request, limitParam, numberParam(limit));
    };

    /** The page that begins before the end of the one that `request` has asked for. */
    const overlapping = (job: Job, { index, items, received, request }: Page) => {
      const { limit: size } = sizeOf(job.params, sizing);
      if (size === undefined || size < leastLimit) throw new ExtractError('ERR_PAGINATION', tooSmall);
      const asked = index === 0 ? size : integerOf(sentValue(request, limitParam));
      const start = index === 0 ? 0 : (integerOf(sentValue(request, pageParam)) - firstPage) * asked;
      if (received > asked)
        throw new ExtractError('ERR_PAGINATION', otherSize(asked, received, shownParam(limitParam)));
      checkAdvance(start, items, shownParam(pageParam));
      if (received < asked)
        return { stop: `a page shorter than the limit (${received} of ${asked})`, by: 'short page' as const };
      const next = pageOver(start + received, size);
      return withParam(withPage(job, firstPage + next.page), limitParam, numberParam(next.size));
    };

    return {
      captures: [],
      ...(repair ? { repairs: true as const, judgesRepeats: true as const, fold: foldRecent } : {}),
      counter: shownParam(pageParam),
      bodyParams: bodyParams({ limitParam, pageParam }),
      skips: () => firstPage > 1,
      first: (job) => (firstPageParams ? withPage(job, firstPage) : jobRequest(job)),
      requestAt: (job, index) => (repair ? undefined : withPage(job, firstPage + index)),
      sizeOf: ({ params }) => sizeOf(params, sizing).limit,
      next(job, page) {
        if (repair) return overlapping(job, page);
        return underflow(job, page.count, sizing) ?? withPage(job, firstPage + page.index + 1);
      },
    };
  },
};

const tooSmall = `with \`repair\` pages overlap, and their sizes vary; expected a \`limit\` of ${leastLimit} or more`;

const otherSize = (asked: number, received: number, param: string): string =>
  `a page has ${received} items instead of ${asked}: with \`repair\` the API has to follow the parameter "${param}"`;
