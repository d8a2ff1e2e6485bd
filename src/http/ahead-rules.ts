/**
 * Whether the pages of a job can be requested ahead, or while the page before them arrives.
 * docs/03-pagination.md#pages-requested-ahead, docs/03-pagination.md#requests-while-a-page-arrives.
 */
import type { Problem } from '../core/errors/errors.js';
import type { Job } from '../core/model/job.js';
import type { Notice, Notify } from '../core/model/notice.js';
import type { PageRequest } from '../core/model/request.js';
import type { EvaluatedJob } from '../job/evaluate-job.js';
import { prefetchOf } from '../pagination/prefetch.js';
import type { Paginator, Prefetch } from '../pagination/types.js';

/** What the rules need of a client. */
export interface AheadClient {
  readonly isSequential: boolean;
  methodOf(request: PageRequest): string;
}

/** Returns why each page of the job must wait for the one before it; undefined: it need not. */
export function whySequential(job: Job, paginator: Paginator, client: AheadClient): string | undefined {
  if (paginator.requestAt === undefined) return 'each request depends on the page before it';
  const request = paginator.requestAt(job, 1);
  if (request === undefined) return 'its page size is not a number';
  const method = client.methodOf(request);
  if (method !== 'GET') return `its method is ${method}`;
  return client.isSequential ? 'each request needs its own login (`expires: 0`)' : undefined;
}

/** A job, and whether it has child jobs. */
export interface OverlapJob {
  readonly job: EvaluatedJob;
  readonly hasChildren: boolean;
}

/** Returns why the next page cannot be requested while a page arrives; undefined: it can. */
function whyWhole({ job, hasChildren }: OverlapJob, paginator: Paginator, client: AheadClient): string | undefined {
  if (paginator.early === undefined) return 'its stopping conditions need the whole page';
  if (hasChildren) return 'it has child jobs, which run between two pages';
  const method = client.methodOf(paginator.first(job));
  if (method !== 'GET') return `its method is ${method}`;
  return client.isSequential ? 'each request needs its own login (`expires: 0`)' : undefined;
}

/** Returns a problem for each job whose pagination has `overlap`, but needs the whole page. */
export function overlapProblems(
  jobs: readonly OverlapJob[],
  ofApi: Paginator,
  client: AheadClient,
): readonly Problem[] {
  return jobs.flatMap((each) => {
    const paginator = each.job.paginator ?? ofApi;
    const reason = paginator.overlap === undefined ? undefined : whyWhole(each, paginator, client);
    if (paginator.overlap === undefined || reason === undefined) return [];
    return [{ path: paginator.overlap, message: `cannot be used with the job "${each.job.name}": ${reason}` }];
  });
}

interface AheadNotices {
  /** With evaluated expressions; includes children. */
  readonly jobs: readonly EvaluatedJob[];
  /** The paginator of the API, for jobs without their own. */
  readonly paginator: Paginator;
  readonly client: AheadClient;
  /** The option of the run; absent: the configuration decides. */
  readonly prefetch: Prefetch | undefined;
  readonly notify: Notify;
}

/**
 * Reports jobs whose pages cannot be requested ahead: a warning each if their pagination asks for it, one notice for
 * all if the run does. Jobs of one page are left out.
 */
export function reportSequential({ jobs, paginator: ofApi, client, prefetch, notify }: AheadNotices): void {
  const found = jobs.flatMap((job) => {
    const paginator = job.paginator ?? ofApi;
    if (prefetchOf(prefetch, paginator) === 0 || paginator.single === true) return [];
    const reason = whySequential(job, paginator, client);
    return reason === undefined ? [] : [{ job: job.name, reason }];
  });
  if (found.length === 0) return;
  if (prefetch === undefined) found.map(warning).forEach(notify);
  else notify(sequentialJobs(found));
}

interface SequentialJob {
  readonly job: string;
  readonly reason: string;
}

const warning = ({ job, reason }: SequentialJob): Notice => ({
  level: 'warning',
  code: 'prefetch-not-used',
  job,
  message: `\`prefetch\` has no effect: ${reason}`,
});

/** Most jobs that the notice names. */
const mostNamed = 5;

function sequentialJobs(found: readonly SequentialJob[]): Notice {
  const named = found.slice(0, mostNamed).map(({ job, reason }) => `"${job}" (${reason})`);
  const more = found.length > mostNamed ? `, and ${found.length - mostNamed} more` : '';
  return {
    level: 'info',
    code: 'page-by-page',
    message: `prefetch: these jobs are requested page by page: ${named.join(', ')}${more}`,
  };
}
