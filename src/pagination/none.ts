/** No pagination: one request a job. */
import type { Component, NoRows } from '../language/component.js';
import { jobRequest } from './param.js';
import type { Paginator } from './types.js';

/** The paginator of a job without pagination. */
export const onePage: Paginator = {
  captures: [],
  single: true,
  first: (job) => jobRequest(job),
  next: () => ({ stop: 'no pagination', by: 'one request' }),
};

/** The same as a method, for a job that does not use the pagination of the API. */
export const none: Component<NoRows, Paginator> = {
  summary: 'one request for each job, as without a method; for a job that does not use `api.pagination`',
  fields: {},
  rules: ['Stopping conditions have no effect with it.'],
  example: '{ "method": "none" }',
  create: () => onePage,
};
