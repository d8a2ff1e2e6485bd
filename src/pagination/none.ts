import type { Component, NoOptions } from '../language/component.js';
import { jobRequest } from './job-request.js';
import type { Paginator } from './types.js';

/** What a job without a pagination method is walked with. */
export const onePage: Paginator = {
  captures: [],
  single: true,
  first: (job) => jobRequest(job),
  next: () => ({ stop: 'no pagination' }),
};

/** The same by its name, for a job that leaves the pagination of the API. */
export const none: Component<NoOptions, Paginator> = {
  summary: 'one request a job, as without a method: for a job that leaves the pagination of the API',
  fields: {},
  rules: ['Stopping conditions beside it have no effect.'],
  example: '{ "method": "none" }',
  create: () => onePage,
};
