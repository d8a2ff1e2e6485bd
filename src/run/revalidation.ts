/**
 * Jobs with `revalidate`: which pages an earlier run has had, and which ones are known after this run.
 * docs/13-second-run.md#only-if-changed, docs/decisions/066.
 */
import { mostPages } from '../checkpoint/validated-pages.js';
import type { JobConfig } from '../config/config.js';
import type { Notify } from '../core/model/notice.js';
import type { JobPages, RunMemory, SeenPage } from '../incremental/run-memory.js';

export interface Revalidation {
  /** By the key of the request, what is stored of its page. Undefined: the job does not ask whether it has changed. */
  of(job: Pick<JobConfig, 'name' | 'revalidate'>): ReadonlyMap<string, string> | undefined;
  /** The memory when the run has published. `whole`: jobs of which the run has seen every page. */
  remember(memory: RunMemory, seen: readonly SeenPage[], whole: ReadonlySet<string>): RunMemory;
}

export interface RevalidationOptions {
  /** Those of the run, children too. */
  readonly jobs: readonly Pick<JobConfig, 'name' | 'revalidate'>[];
  readonly remembered: RunMemory;
  /** A digest of all that decides what becomes of a page: what is known of it under another one counts no more. */
  readonly mark: string;
  /** False: every page is requested whole, as for a recording, which has to have the items. */
  readonly sends: boolean;
  /** The run is a backfill: it changes nothing. */
  readonly isBackfill: boolean;
  readonly notify: Notify;
}

/** Whether a job asks, or has asked in an earlier run. */
export const hasRevalidation = ({ jobs, remembered }: Pick<RevalidationOptions, 'jobs' | 'remembered'>): boolean =>
  remembered.pages !== undefined || jobs.some(({ revalidate }) => revalidate === true);

export function createRevalidation(options: RevalidationOptions): Revalidation {
  const { remembered, mark, sends, isBackfill } = options;
  const before = new Map(Object.entries(remembered.pages ?? {}).filter(([, known]) => known.mark === mark));
  const known = new Map([...before].map(([job, { pages }]) => [job, new Map(Object.entries(pages))] as const));
  return {
    of: ({ name, revalidate }) =>
      revalidate !== true || isBackfill ? undefined : ((sends ? known.get(name) : undefined) ?? noPages),
    remember({ pages: _, ...memory }, seen, whole) {
      const next = isBackfill ? before : pagesAfter(options, before, seen, whole);
      return next.size === 0 ? memory : { ...memory, pages: Object.fromEntries(next) };
    },
  };
}

const noPages: ReadonlyMap<string, string> = new Map();

/** Of a job that was walked to its end, those that the run has seen; of another one those of before too. */
function pagesAfter(
  { jobs, mark, notify }: RevalidationOptions,
  before: ReadonlyMap<string, JobPages>,
  seen: readonly SeenPage[],
  whole: ReadonlySet<string>,
): ReadonlyMap<string, JobPages> {
  const next = new Map(before);
  for (const { name, revalidate } of jobs) {
    const own = seen.filter(({ job }) => job === name).map(({ key, facts }) => [key, facts] as const);
    const others = whole.has(name) ? [] : Object.entries(before.get(name)?.pages ?? {});
    const pages = Object.entries({ ...Object.fromEntries(own), ...withoutKeys(others, own) });
    if (own.length > mostPages) notify({ ...tooMany, job: name });
    if (revalidate !== true || pages.length === 0) next.delete(name);
    else next.set(name, { mark, pages: Object.fromEntries(pages.slice(0, mostPages)) });
  }
  return next;
}

type Entries = readonly (readonly [key: string, facts: string])[];

function withoutKeys(entries: Entries, known: Entries): Readonly<Record<string, string>> {
  const keys = new Set(known.map(([key]) => key));
  return Object.fromEntries(entries.filter(([key]) => !keys.has(key)));
}

const tooMany = {
  level: 'warning',
  code: 'pages-not-kept',
  message: `more than ${mostPages} pages could be asked for again only if they have changed: the others are requested whole in the next run`,
} as const;
