/** The request that a job itself configures: where every scroller starts. */
import type { ExactObject } from '../core/json/exact.js';
import type { Job } from '../core/model/job.js';
import type { PageRequest } from '../core/model/request.js';

/** The job's own request, with other parameters where they are given. */
export function jobRequest({ endpoint, method, params, headers }: Job, otherParams: ExactObject = params): PageRequest {
  return { endpoint, ...(method === undefined ? {} : { method }), params: otherParams, headers };
}
