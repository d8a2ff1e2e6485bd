/** Chooses jobs by name, and reports a name that no job has. */
import { ExtractError } from '../core/errors/errors.js';
import { didYouMean } from '../core/util/suggest.js';

interface JobName {
  readonly name: string;
  readonly children?: readonly JobName[];
}

/**
 * Chooses the named jobs, in the order of the configuration; without names all. Throws ERR_USAGE for an unknown name.
 */
export function chooseJobs<T extends JobName>(all: readonly T[], names: readonly string[] | undefined): readonly T[] {
  if (names === undefined) return all;
  const chosen = new Set(names.map((name) => jobNamed(all, name)));
  return all.filter((job) => chosen.has(job));
}

/** Finds the job of that name. Throws ERR_USAGE with the nearest name and all others. */
export function jobNamed<T extends JobName>(all: readonly T[], name: string): T {
  const found = all.find((job) => job.name === name);
  if (found !== undefined) return found;
  const known = all.map((job) => job.name);
  const list = known.map((each) => `"${each}"`).join(', ');
  const above = all.find((job) => isBelow(job, name));
  if (above !== undefined) {
    const message = `"${name}" is a child job of "${above.name}": choose that job; the jobs are ${list}`;
    throw new ExtractError('ERR_USAGE', message);
  }
  throw new ExtractError('ERR_USAGE', `there is no job "${name}"${didYouMean(name, known)}; the jobs are ${list}`);
}

const isBelow = ({ children = [] }: JobName, name: string): boolean =>
  children.some((child) => child.name === name || isBelow(child, name));
