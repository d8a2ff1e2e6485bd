/** Checks parameters that are paths into a JSON body against the requests that use them, before the first request. */
import type { ConfiguredDefaults } from '../config/config.js';
import type { Problem } from '../core/errors/errors.js';
import type { Job } from '../core/model/job.js';
import { blockedAt, describeBlock, shownPath } from '../core/url/body-path.js';
import type { EvaluatedJob } from '../job/evaluate-job.js';
import type { BodyParam, Paginator } from '../pagination/types.js';
import { hasJsonBody, mergeParams, methodOf } from './request.js';

export interface CheckBodyParams {
  /** With evaluated expressions; includes children. */
  readonly jobs: readonly EvaluatedJob[];
  /** The paginator of the API, for jobs without their own. */
  readonly paginator: Paginator;
  readonly defaults: Pick<ConfiguredDefaults, 'method' | 'params'>;
}

/** Returns every path that has no JSON body, or that leads through a scalar. */
export function bodyParamProblems({ jobs, paginator, defaults }: CheckBodyParams): readonly Problem[] {
  return jobs.flatMap((job) => {
    const params = (job.paginator ?? paginator).bodyParams ?? [];
    return params.flatMap((param) => {
      const message = problemOf(param, job, defaults);
      return message === undefined ? [] : [{ path: param.at ?? `api.pagination.${param.key}`, message }];
    });
  });
}

function problemOf({ path, request }: BodyParam, job: Job, defaults: CheckBodyParams['defaults']): string | undefined {
  const asked = request(job);
  const method = methodOf(asked, defaults);
  const shown = `the path "${shownPath(path)}"`;
  if (!hasJsonBody(method)) {
    return `${shown} leads into a JSON body, but the requests of the job "${job.name}" have none: their method is ${method}. Expected POST, PUT, PATCH or DELETE, or the name of a parameter`;
  }
  const blocked = blockedAt(mergeParams(defaults.params, asked.params), path);
  return blocked === undefined
    ? undefined
    : `${shown} ${describeBlock(blocked)}, in \`params\` of the job "${job.name}"`;
}
