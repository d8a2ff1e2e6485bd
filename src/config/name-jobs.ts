/** Gives each job a unique name. */
import type { ChildConfig, JobConfig } from './config.js';

/** A job without its unique name. */
export type UnnamedJob = Omit<JobConfig, 'name' | 'children'> & { readonly children: readonly UnnamedChild[] };

export type UnnamedChild = Omit<ChildConfig, 'name' | 'children'> & { readonly children: readonly UnnamedChild[] };

/** The data type of a job for the base URL itself, and the name of a job whose endpoint is only a query. */
export const noName = '/';

/**
 * Returns a function that names jobs and numbers equal names. Must be called for all jobs of a configuration, each
 * before its children.
 */
export function createNames(): (job: UnnamedJob) => JobConfig {
  const counts = new Map<string, number>();
  const free = (base: string) => {
    let name = base;
    let number = counts.get(base) ?? 1;
    for (; counts.has(name); name = `${base}#${number}`) number += 1;
    counts.set(base, number).set(name, name === base ? number : 1);
    return name;
  };
  const child = (job: UnnamedChild): ChildConfig => ({
    ...job,
    name: free(nameOf(job)),
    children: job.children.map(child),
  });
  return (job) => ({ ...job, name: free(nameOf(job)), children: job.children.map(child) });
}

/** Messages show names, so the query and fragment of an endpoint, and a user before the host, are removed. */
function nameOf({ endpoint, dataType }: Pick<UnnamedJob, 'endpoint' | 'dataType'>): string {
  if (dataType !== endpoint) return dataType;
  return endpoint.replace(/[?#].*$/s, '').replace(/^([a-z]*:?\/\/)[^/]*@/i, '$1') || noName;
}
