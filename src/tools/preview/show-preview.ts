/** What `rxtract preview` does: runs the first pages into memory, and prints each when it is complete. */

import type { ParsedArguments } from '../../cli/arguments.js';
import type { CommandResult } from '../../cli/command.js';
import { readDocument } from '../../cli/document.js';
import { readExchangeOptions } from '../../cli/open-exchanges.js';
import type { Report } from '../../cli/report.js';
import { warnOfPassword } from '../../cli/run-jobs.js';
import { columnsOf } from '../../cli/screen.js';
import type { Shell } from '../../cli/shell.js';
import { type WatchedRun, watchRun } from '../../cli/watch-run.js';
import type { Batch } from '../../core/model/batch.js';
import type { Secrets } from '../../core/model/secrets.js';
import { usageError } from '../../core/util/check-value.js';
import { defined } from '../../core/util/defined.js';
import { printable } from '../text/lines.js';
import { type SampledItem, sampleItem } from './fields.js';

/** Of an item list, for its types. */
const mostSampled = 1000;

/** Previews the configuration that the arguments name. Resolves with the failure of the run, if it fails. */
export async function showPreview(args: ParsedArguments, shell: Shell, report: Report): Promise<CommandResult> {
  const [maxPages, rows] = [countOf(args, 'pages', 1), countOf(args, 'items', 10)];
  const open = readExchangeOptions(args);
  warnOfPassword(args, report);
  const document = await readDocument(args, shell, report.notice);
  const { pageLines } = await import('./preview-text.js'); // of no other command
  const sample = createSample();
  const options = { to: sample.take, maxPages, allow: args.list('allow'), ...defined({ proxy: args.last('proxy') }) };
  const page: WatchedRun['page'] = (receipt, watched, mask) => {
    const clean: Secrets['mask'] = (text, end) => printable(text, (each, cut) => mask(each, cut ?? end));
    const screen = { rows, width: columnsOf(shell, usualWidth), clean };
    const previewed = { ...receipt, items: sample.of(receipt.job), page: watched };
    shell.stdout.write(`${[...pageLines(previewed, screen), ''].join('\n')}\n`);
  };
  return watchRun({ ...document, open, options, page }, { args, shell, report });
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

/** Columns of a terminal whose width is not known. */
const usualWidth = 80;

function countOf(args: ParsedArguments, name: 'pages' | 'items', usual: number): number {
  const text = args.last(name);
  if (text === undefined) return usual;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value === 0) throw usageError(`--${name} is a whole number from 1 to 999999, found "${text}"`);
  return value;
}
