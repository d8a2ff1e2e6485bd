/** The request of the job itself: the first request of every paginator. */
import type { ExactObject } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { PageRequest } from '../core/model/request.js';

/** The request of the job, with other parameters if they are given. */
export function jobRequest({ endpoint, method, params, headers }: Job, otherParams: ExactObject = params): PageRequest {
  return { endpoint, ...(method === undefined ? {} : { method }), params: otherParams, headers };
}
