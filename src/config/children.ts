/** Jobs with all that lie below them, each before its children: where something holds for every job, however deep. */
import type { Config, JobConfig } from './config.js';

/** In listed order, depth first. */
export function withChildren<Job extends { readonly children: readonly Job[] }>(jobs: readonly Job[]): readonly Job[] {
  return jobs.flatMap((job) => [job, ...withChildren(job.children)]);
}

/** The endpoints that paginations give, that of the API and those of all jobs: each once. */
export function pagingEndpoints({ scroller, jobs }: Pick<Config, 'scroller' | 'jobs'>): readonly string[] {
  const scrollers = [scroller, ...withChildren<JobConfig>(jobs).map((job) => job.scroller)];
  return [...new Set(scrollers.flatMap((each) => each?.endpoints ?? []))];
}
