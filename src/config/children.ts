/** Jobs with all that lie below them, each before its children: where something holds for every job, however deep. */
export function withChildren<Job extends { readonly children: readonly Job[] }>(jobs: readonly Job[]): readonly Job[] {
  return jobs.flatMap((job) => [job, ...withChildren(job.children)]);
}
