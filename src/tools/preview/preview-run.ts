/** Runs the first pages of each job into memory: a value for each page when it is complete. */

import { droppedLetters } from '../../../sinks/decorators/dead-letters.js';
import { digestedFile } from '../../../sinks/digested-file.js';
import { fromFunction } from '../../../sinks/from-function.js';
import type { ExactObject } from '../../core/json/exact.js';
import { parseExact } from '../../core/json/exact-parse.js';
import type { Batch } from '../../core/model/batch.js';
import type { WatchedPage } from '../../recording/watch.js';
import type { ExtractOptions } from '../../run/options.js';
import { type WatchedRun, watchRun } from '../../run/watch-run.js';
import { findLists, namesBeside } from '../init/find-lists.js';
import { type SampledItem, sampleItem } from './fields.js';
import type { PreviewedPage } from './preview-text.js';

/** Of an item list, for its types. */
const mostSampled = 1000;

/** Previews a configuration: one page of each job, unless `maxPages` says more. Its items may contain secrets. */
export function previewRun(configuration: ExactObject, options: ExtractOptions): WatchedRun<PreviewedPage> {
  const sample = createSample();
  const to = { ...fromFunction(sample.take), file: digestedFile };
  const given = { maxPages: 1, ...options, to, onItemError: droppedLetters };
  return watchRun(configuration, given, (receipt, page) => {
    const columns = namesIn(page, receipt.count);
    return { ...receipt, items: sample.of(receipt.job), page, ...(columns && { columns }) };
  });
}

/** The list of names beside the rows of a page, if these are arrays. */
function namesIn({ body: bytes }: WatchedPage, count: number): readonly string[] | undefined {
  if (bytes === undefined) return undefined;
  try {
    const body = parseExact(bytes.toString());
    const rows = findLists(body).filter(({ items }) => items.length === count);
    return rows.map((list) => namesBeside(body, list)).find((path) => path !== undefined);
  } catch {
    return undefined; // No JSON document: CSV, lines, an archive.
  }
}

/** Collects the first items of the latest page of each job. */
function createSample() {
  const latest = new Map<string, { readonly page: string; readonly items: SampledItem[] }>();
  return {
    take(batch: Batch): void {
      const page = `${batch.walk} ${batch.page}`;
      const known = latest.get(batch.job);
      const items = known?.page === page && batch.offset > 0 ? known.items : [];
      latest.set(batch.job, { page, items });
      const most = Math.min(batch.count, mostSampled - items.length);
      for (let index = 0; index < most; index += 1) items.push(sampleItem(batch, index));
    },
    /** Forgets them: the next page may have none. */
    of(job: string): readonly SampledItem[] {
      const items = latest.get(job)?.items ?? [];
      latest.delete(job);
      return items;
    },
  };
}
