/** Whether a job can ask only for pages that have changed. docs/13-second-run.md#only-if-changed. */
import type { JobConfig } from '../config/config.js';
import type { Problem } from '../core/errors/errors.js';
import type { PageRequest } from '../core/model/request.js';
import type { EvaluatedJob } from '../job/evaluate-job.js';
import type { Paginator } from '../pagination/types.js';

/** A job, before and after its expressions were evaluated. */
export interface RevalidatedJob {
  readonly job: EvaluatedJob;
  readonly config: JobConfig;
}

/** Returns a problem for each job with `revalidate` that needs the items of every page, or sends no GET. */
export function revalidateProblems(
  jobs: readonly RevalidatedJob[],
  ofApi: Paginator,
  methodOf: (request: PageRequest) => string,
): readonly Problem[] {
  return jobs.flatMap(({ job, config }) => {
    if (config.revalidate !== true) return [];
    const reason = whyWhole(config, job.paginator ?? ofApi) ?? whyNot(methodOf((job.paginator ?? ofApi).first(job)));
    if (reason === undefined) return [];
    return [{ path: `${config.path}.revalidate`, message: `cannot be used here: ${reason}` }];
  });
}

function whyWhole({ children, report, windows }: JobConfig, paginator: Paginator): string | undefined {
  if (children.length > 0) return 'child jobs need the items of each page. Set it in the child jobs instead';
  if (report !== undefined) return 'a report is made anew for each run (`await`)';
  if (windows?.split !== undefined && windows.split !== false)
    return 'windows that `split` need the items of each page';
  return paginator.repairs === true ? '`repair` needs the items of each page' : undefined;
}

const whyNot = (method: string): string | undefined =>
  method === 'GET' ? undefined : `the method of the job is ${method}, and only GET can be conditional`;
