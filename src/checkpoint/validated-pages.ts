/** The pages of a run of which the next one can ask whether they have changed, by top-level job. */
import type { SeenPage } from '../incremental/run-memory.js';
import type { LanePage, PageDraft } from './records.js';

export interface ValidatedPages {
  take(page: Pick<PageDraft, 'job' | 'took' | 'validated'>): void;
  /** Forgets those of a lane. */
  forget(lane: number): void;
  all(): readonly LanePage[];
  restore(all: readonly LanePage[]): void;
}

/** Of a job; one more is kept, which shows that there are more. */
export const mostPages = 10_000;

/** Starts empty. */
export function createValidatedPages(): ValidatedPages {
  const jobs = new Map<number, Map<string, LanePage>>();
  const set = (page: LanePage) => {
    const [, job, key] = page;
    const pages = jobs.get(job) ?? new Map<string, LanePage>();
    if (pages.size <= mostPages || pages.has(key)) jobs.set(job, pages.set(key, page));
  };
  return {
    take({ job, took, validated }) {
      if (validated !== undefined) set([job, took.job, ...validated]);
    },
    forget(lane) {
      for (const pages of jobs.values()) {
        for (const [key, [own]] of pages) if (own === lane) pages.delete(key);
      }
    },
    all: () => [...jobs.values()].flatMap((pages) => [...pages.values()]),
    restore: (all) => all.forEach(set),
  };
}

/** The pages, with the names of their jobs. */
export const pagesByName = (all: readonly LanePage[], names: readonly string[]): readonly SeenPage[] =>
  all.map(([, job, key, facts]) => ({ job: names[job] ?? '', key, facts }));
