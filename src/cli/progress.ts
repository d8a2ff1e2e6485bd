import type { Receipt } from '../core/model/page.js';
import { counted, size } from './format.js';

const quietMs = 2000;

interface ProgressCounts {
  readonly pages: number;
  readonly items: number;
  readonly bytes: number;
  readonly shownAt: number;
}

/**
 * Returns a function that takes each receipt with its time in epoch ms. It returns a line such as `users: 12 pages,
 * 12,000 items, 4.1 MB` if the job was not shown for 2 seconds; shorter runs show none.
 */
export function createProgress(): (receipt: Receipt, at: number) => string | undefined {
  const tallies = new Map<string, ProgressCounts>();
  let startedAt: number | undefined;

  return ({ job, count, bytes, delivered }, at) => {
    startedAt ??= at;
    const { shownAt, ...last } = tallies.get(job) ?? { pages: 0, items: 0, bytes: 0, shownAt: startedAt };
    const isDue = at - shownAt >= quietMs;
    const pages = last.pages + (delivered ? 1 : 0);
    const tally = { pages, items: last.items + count, bytes: last.bytes + bytes, shownAt: isDue ? at : shownAt };
    tallies.set(job, tally);
    if (!isDue) return undefined;
    return `${job}: ${counted(pages, 'page')}, ${counted(tally.items, 'item')}, ${size(tally.bytes)}`;
  };
}
