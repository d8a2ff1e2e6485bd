import type { Job } from '../../core/model/job.js';
import type { PageRequest } from '../../core/model/request.js';
import type { Paginator } from '../types.js';
import { endTold, nextTold } from './declared-next.js';
import { type DeclaredTotal, detectTotal, type PageView, updateTotal } from './declared-total.js';
import { beginsBehind } from './starts-mid-list.js';

export interface WalkEvidence {
  /** Pages that were examined, without repeats of the page before. */
  readonly read: number;
  /** Pages with items. */
  readonly pages: number;
  /** Items of the first page, of the largest page, and of the last page with items. */
  readonly first: number;
  readonly largest: number;
  readonly last: number;
  /** Absent if there is no credible total, or the walk skips the first items. */
  readonly told?: DeclaredTotal;
  /** Where the first page announces a next one. */
  readonly next?: string;
  /** The first page says that it is the only one. */
  readonly isLast?: true;
  /** The index of a page without items between pages with items. An empty page before all items does not count. */
  readonly empty?: number;
}

/** A page that was accepted. `hasList`: its items were the elements of a list. */
export interface SeenPage extends PageView {
  readonly index: number;
  readonly request: PageRequest;
  readonly hasList: boolean;
}

/** Adds a page. */
export function observePage(
  before: WalkEvidence | undefined,
  page: SeenPage,
  scroller: Paginator,
  job: Job,
): WalkEvidence {
  const { count, index } = page;
  const told = before === undefined ? toldAtFirst(page, scroller, job) : toldLater(before, page, scroller);
  const next = before === undefined ? nextTold(page) : before.next;
  const { pages = 0, first = count, largest = 0, last = 0, empty } = before ?? {};
  const hole = count > 0 || pages === 0 ? undefined : (empty ?? index);
  return {
    read: (before?.read ?? 0) + 1,
    pages: count > 0 ? pages + 1 : pages,
    first,
    largest: Math.max(largest, count),
    last: count > 0 ? count : last,
    ...(told === undefined ? {} : { told }),
    ...(next === undefined ? {} : { next }),
    ...(before === undefined && endTold(page) ? { isLast: true } : {}),
    ...(hole === undefined ? {} : { empty: hole }),
  };
}

function toldAtFirst(page: SeenPage, scroller: Paginator, job: Job): DeclaredTotal | undefined {
  const isItem = !page.hasList && scroller.total === undefined; // a page that is an item itself has members of its own
  if (isItem || scroller.skips?.(job) === true || beginsBehind(page.request)) return undefined;
  return detectTotal(page, scroller, job.dataField);
}

const toldLater = ({ told, first }: WalkEvidence, page: SeenPage, scroller: Paginator): DeclaredTotal | undefined =>
  told === undefined ? undefined : updateTotal(told, page, scroller, first);
