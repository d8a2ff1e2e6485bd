/** Lists jobs with all their descendants. */
import type { Config, JobConfig } from './config.js';

/** In listed order, depth first. */
export function withChildren<Job extends { readonly children: readonly Job[] }>(jobs: readonly Job[]): readonly Job[] {
  return jobs.flatMap((job) => [job, ...withChildren(job.children)]);
}

/** The endpoints in the paginations of the API and of all jobs, without repetitions. */
export function pagingEndpoints({ scroller, jobs }: Pick<Config, 'scroller' | 'jobs'>): readonly string[] {
  const scrollers = [scroller, ...withChildren<JobConfig>(jobs).map((job) => job.scroller)];
  return [...new Set(scrollers.flatMap((each) => each?.endpoints ?? []))];
}
