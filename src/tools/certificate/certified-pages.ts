/** Compares the files of an output with the pages of its certificate. */
import { asExtractError } from '../../core/errors/errors.js';
import type { Certificate, CertifiedOutput } from './certificate.js';
import { type ComparedPage, comparePages } from './compare-pages.js';
import { contentIn } from './output-files.js';

/** What differs, in words; empty: its items are those of the pages of its data type. */
export async function pageDifferences(
  certificate: Certificate,
  { dataType, files }: Pick<CertifiedOutput, 'dataType' | 'files'>,
  dir: string,
): Promise<readonly string[]> {
  async function* content() {
    for (const { file } of files) yield* contentIn(dir, file);
  }
  try {
    return await comparePages(content(), pagesOf(certificate, dataType));
  } catch (thrown) {
    return [`cannot be read: ${asExtractError(thrown).message}`];
  }
}

/** The pages with items of a data type, in the order in which they were written. */
export function pagesOf({ jobs, walks, pages }: Certificate, dataType: string): readonly ComparedPage[] {
  const names = new Set(jobs.filter((job) => job.dataType === dataType).map(({ job }) => job));
  const jobOf = new Map(walks.filter(({ job }) => names.has(job)).map(({ walk, job }) => [walk, job] as const));
  return pages
    .filter(({ walk, items }) => items > 0 && jobOf.has(walk))
    .map((page) => ({ ...page, label: labelOf(page, jobOf.get(page.walk) ?? '') }));
}

/** As messages call a page: that of a walk below others has the name of the walk. */
export function labelOf({ walk, page }: { readonly walk: string; readonly page: number }, job: string): string {
  return `page ${page} of job "${job}"${walk.includes('/') ? ` (walk ${walk})` : ''}`;
}
