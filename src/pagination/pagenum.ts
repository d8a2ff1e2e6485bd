/** Pagination by page number. Seed 2.5 and 4.3, decisions 1, 10 and 13. */
import type { Component } from '../component.js';
import { ExactNumber, type ExactObject, isNumber } from '../exact.js';
import { count, flag, text, wholeNumber } from '../fields.js';
import type { Job, Notice, Scroller } from '../types.js';
import { isEmpty } from './is-empty.js';
import { jobRequest } from './job-request.js';

export interface PagenumOptions {
  readonly limit?: number;
  readonly limitParam?: string;
  readonly pageParam?: string;
  readonly firstPageParams?: boolean;
  readonly firstPage?: number;
}

export const pagenum: Component<PagenumOptions, Scroller> = {
  summary: 'counts pages in a parameter until a page comes short',
  fields: {
    limit: { type: count, otherwise: 'no limit', summary: 'the page size; 0 is none' },
    limitParam: { type: text, summary: 'the parameter that carries the page size', default: 'limit' },
    pageParam: { type: text, summary: 'the parameter that carries the page number', default: 'page' },
    firstPageParams: {
      type: flag,
      summary: 'false: the first request carries neither page number nor page size',
      default: 'true',
    },
    firstPage: { type: wholeNumber, summary: 'the number of the first page', default: '1' },
  },
  rules: [
    'Each request counts up by one.',
    'It ends at a page with fewer items than the limit, or with none; without a limit only an empty page is the end.',
    "A job parameter named as `limitParam` is the limit of that job. One named as `pageParam` gives way to the method's.",
  ],
  example: '{ "method": "pagenum", "limit": 100, "limitParam": "count" }',

  create({ limit = 0, firstPageParams = true, firstPage = 1, ...names }) {
    const limitParam = named(names.limitParam, 'limit');
    const pageParam = named(names.pageParam, 'page');
    const paged = (job: Job, page: number) => jobRequest(job, overlay(job.params, page));

    /** Parameters keep the places that the job gave them; new ones follow: page, then limit. Its own limit stays as it wrote it. */
    const overlay = (params: ExactObject, page: number): ExactObject => {
      const overlaid = new Map(params).set(pageParam, new ExactNumber(String(page)));
      const own = params.get(limitParam);
      if (limit > 0 && isEmpty(own)) overlaid.set(limitParam, new ExactNumber(String(limit)));
      return overlaid;
    };

    return {
      captures: [],
      first: (job) => (firstPageParams ? paged(job, firstPage) : jobRequest(job)),
      next(job, { index, count }) {
        const size = sizeOf(job.params, limitParam, limit);
        if (count > 0 && (size.limit === undefined || count >= size.limit)) return paged(job, firstPage + index + 1);
        const stop = count === 0 ? 'an empty page' : `a page shorter than the limit (${count} of ${size.limit})`;
        return size.warning === undefined ? { stop } : { stop, warning: { ...size.warning, job: job.name } };
      },
    };
  },
};

const named = (name: string | undefined, otherwise: string): string =>
  name === undefined || name === '' ? otherwise : name;

/** How many items a full page has. The job's own limit counts before the configured one; one that is no number tells nothing. */
function sizeOf(params: ExactObject, limitParam: string, limit: number): { limit?: number; warning?: Notice } {
  const own = params.get(limitParam);
  if (isEmpty(own)) return limit > 0 ? { limit } : {};
  const number = typeof own === 'string' || isNumber(own) ? String(own).trim() : '';
  if (/^[+-]?\d+(?:\.\d+)?$/.test(number)) {
    const size = Math.trunc(Number(number));
    return size > 0 ? { limit: size } : {};
  }
  const message = `the job's parameter "${limitParam}" is not a number: only an empty page ends its pagination`;
  return { warning: { level: 'warning', code: 'limit-not-a-number', message } };
}
