/** Moves a job whose `each` is in the items of another job below that job. docs/13-second-run.md#partitions. */
import { didYouMean } from '../../core/util/suggest.js';
import type { Placeholder } from '../children/placeholders.js';
import type { UnnamedChild, UnnamedJob } from '../name-jobs.js';
import type { EachOfJob } from './each.js';

/** A top-level job that was read. */
export interface ReadJob {
  readonly job: UnnamedJob;
  readonly id: string | undefined;
  /** Its keys with values of another job; empty: it stays at the top. */
  readonly ofJobs: readonly EachOfJob[];
}

/**
 * Returns the jobs that stay at the top, with the others as their last children. Returns `undefined` after reporting a
 * job that does not exist, several jobs for one, or jobs that depend on one another.
 */
export function moveBelow(jobs: readonly ReadJob[]): readonly UnnamedJob[] | undefined {
  const sources = new Map(jobs.map((each) => [each, sourceOf(each, jobs)]));
  if ([...sources.values()].includes('fault')) return undefined;
  const [circle] = jobs.filter((each) => isInCircle(each, sources));
  if (circle !== undefined) {
    circle.ofJobs[0]?.place.problem('its items depend on this job: the jobs would wait for one another');
    return undefined;
  }
  const below = (of: ReadJob): readonly UnnamedChild[] =>
    jobs.filter((each) => sources.get(each) === of).map((each) => asChild(each, below(each)));
  return jobs.flatMap((each) =>
    sources.get(each) === undefined ? [{ ...each.job, children: [...each.job.children, ...below(each)] }] : [],
  );
}

/** The job whose items a job needs; undefined: none. */
function sourceOf({ ofJobs }: ReadJob, jobs: readonly ReadJob[]): ReadJob | 'fault' | undefined {
  const [first] = ofJobs;
  if (first === undefined) return undefined;
  const other = ofJobs.find(({ job }) => job !== first.job);
  if (other !== undefined) {
    other.place.problem(`all values must come from one job: "${first.job}" is used already`);
    return 'fault';
  }
  const found = jobs.find(({ id }) => id === first.job) ?? jobs.find(({ job }) => job.dataType === first.job);
  if (found !== undefined) return found;
  const known = jobs.map(({ id, job }) => id ?? job.dataType);
  first.place.problem(`there is no job with this id or data type${didYouMean(first.job, known)}`);
  return 'fault';
}

function isInCircle(job: ReadJob, sources: ReadonlyMap<ReadJob, ReadJob | 'fault' | undefined>): boolean {
  let at = sources.get(job);
  for (let steps = 0; steps < sources.size && at !== undefined && at !== 'fault'; steps += 1) {
    if (at === job) return true;
    at = sources.get(at);
  }
  return false;
}

function asChild({ job, ofJobs }: ReadJob, below: readonly UnnamedChild[]): UnnamedChild {
  const placeholders = ofJobs.map(({ name, path }): Placeholder => ({ name, level: 1, path, isPartition: true }));
  return { ...job, placeholders, children: [...job.children, ...below] };
}
