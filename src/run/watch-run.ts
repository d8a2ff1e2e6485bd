/** A run whose pages are shown and not stored: each with its request, the head of its response, and what follows. */
import { map, type Observable } from 'rxjs';
import type { ExactObject } from '../core/json/exact.js';
import type { Receipt } from '../core/model/page.js';
import { type WatchedPage, watchExchanges } from '../recording/watch.js';
import { extract } from './extract.js';
import type { Extraction } from './extraction.js';
import type { ExtractOptions } from './options.js';

/** As an extraction, with a value for each page in place of its receipt. */
export interface WatchedRun<Page> extends Pick<Extraction, 'closed' | 'stop' | 'mask'> {
  readonly receipts: Observable<Page>;
}

/** Prepares a run. `pageOf` makes the value of a page when it is complete. Throws as `extract`. */
export function watchRun<Page>(
  configuration: ExactObject,
  options: ExtractOptions,
  pageOf: (receipt: Receipt, page: WatchedPage, mask: Extraction['mask']) => Page,
): WatchedRun<Page> {
  const watch = watchExchanges(options.exchanges);
  const { receipts, closed, stop, mask } = extract(configuration, { ...options, exchanges: watch });
  const pages = receipts.pipe(map((receipt) => pageOf(receipt, watch.pageOf(receipt.job), mask)));
  return { receipts: pages, closed, stop, mask };
}
