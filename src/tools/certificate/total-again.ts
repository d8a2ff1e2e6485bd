/** Compares the totals that the API states now with those of a certificate. */
import type { ProvenPage } from '../../core/model/page.js';
import type { Certificate } from './certificate.js';
import type { Verified } from './verify-certificate.js';

/** The top-level jobs of walks whose total is certified: those to ask again. */
export function jobsWithTotals({ walks, jobs }: Certificate): readonly string[] {
  const top = new Set(jobs.filter(({ parent }) => parent === undefined).map(({ job }) => job));
  return [...new Set(walks.filter(({ total, job }) => total !== undefined && top.has(job)).map(({ job }) => job))];
}

/** `pages`: of a run that has requested the first page of each such job. */
export function compareTotals(certificate: Certificate, pages: readonly ProvenPage[]): readonly Verified[] {
  const first = new Map(pages.filter(({ index }) => index === 0).map((page) => [page.walk, page]));
  const jobs = new Set(jobsWithTotals(certificate));
  return certificate.walks
    .filter(({ total, job }) => total !== undefined && jobs.has(job))
    .map(({ walk, job, total }): Verified => {
      const what = `job "${job}"`;
      const now = first.get(walk)?.total?.items;
      const before = total?.items ?? 0;
      if (now === undefined)
        return { result: 'unchecked', what, text: `the API states no total any more; certified: ${before}` };
      if (now === before) return { result: 'same', what, text: `the API states ${now} items` };
      return { result: 'differs', what, text: `the API states ${now} items now, and ${before} in the run` };
    });
}
