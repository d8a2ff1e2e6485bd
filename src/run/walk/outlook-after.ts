/** What is left of a walk, as far as totals of the API, conditions and limits of the run show it. */
import type { Outlook } from '../../core/model/outlook.js';
import type { Envelope } from '../../core/model/page.js';
import type { WalkEvidence } from '../../pagination/truncation/walk-evidence.js';
import type { WalkContext } from './page-context.js';

/** A page that was read, with its walk so far. */
export interface WalkedPage {
  readonly index: number;
  /** Items of the walk, this page included. */
  readonly items: number;
  readonly envelope: Envelope;
  readonly seen: WalkEvidence | undefined;
}

/** The items and pages that may follow a page; Infinity: not known. */
export function remainderAfter(
  { index, items, envelope, seen }: WalkedPage,
  { job, bounds, paginator }: Pick<WalkContext, 'job' | 'bounds' | 'paginator'>,
): { readonly items: number; readonly pages: number } {
  const left = paginator.left?.({ index, items, envelope });
  const declared = seen?.declared;
  const isTrusted = declared !== undefined && declared.trust !== 'likely' && declared.isLeast !== true;
  const total = isTrusted ? declared.latest : Number.POSITIVE_INFINITY;
  return {
    items: Math.max(0, Math.min(bounds.room(job.name), left?.items ?? Number.POSITIVE_INFINITY, total - items)),
    pages: Math.max(0, Math.min(bounds.pagesLeft(job.name), left?.pages ?? Number.POSITIVE_INFINITY)),
  };
}

/** The outlook of a job after one of its pages. */
export function outlookAfter(page: WalkedPage, walk: WalkContext): Outlook {
  const { items, pages } = remainderAfter(page, walk);
  return { job: walk.job.name, index: page.index, items: page.items, itemsLeft: items, pagesLeft: pages };
}
