/**
 * Notices pages that come again: whole pages in a round, and the same items in a round or page after page, whatever
 * stands around them.
 */

import { createLoopDetector, type Round, type Same } from './loop-detector.js';
import type { Prints } from './prints.js';

/** What has come again. `times`: how many pages in a row had the items of the page before them, this one included. */
export type Finding =
  | { readonly kind: 'pages' | 'items'; readonly round: Round }
  | { readonly kind: 'row'; readonly times: number };

/** Whether the items of a page may be looked at: always, up to the first finding, or never. */
export type ItemsWatch = 'all' | 'first' | 'none';

export interface Repeats {
  /**
   * Looks at the next page; a round of whole pages is told before all else. A page that equals the one before it is not
   * to be shown.
   */
  see(print: bigint): Finding | undefined;
}

/** Goes on after the pages in `prints`, and adds to them. */
export function createRepeats(prints: Prints, watch: ItemsWatch): Repeats {
  const pages = createLoopDetector(prints.isSamePage);
  const items = createItemRepeats(prints);
  let isOver = watch === 'none';

  const look = (last: number): Finding | undefined => {
    const round = pages.see(last);
    if (round !== undefined) return { kind: 'pages', round };
    if (isOver) return undefined;
    const finding = items(last);
    isOver = watch === 'first' && finding !== undefined;
    return finding;
  };
  for (let index = 0; index < prints.length; index++) look(index);

  return {
    see(print) {
      prints.add(print);
      return look(prints.length - 1);
    },
  };
}

/** Looks at the items of the pages, one after the other. */
function createItemRepeats(prints: Prints): (last: number) => Finding | undefined {
  const { hasItems, hasSameItems } = prints;
  const repeatsLast = (index: number) => index > 0 && hasSameItems(index, index - 1);
  // Empty answers to one request are no repeats: that is how a scroll waits for news.
  const mayBePart = (index: number) => hasItems(index) || !repeatsLast(index);
  const same: Same = (a, b) => hasSameItems(a, b) && mayBePart(a) && mayBePart(b);
  const rounds = createLoopDetector(same);
  let times = 0;

  return (last) => {
    times = hasItems(last) && repeatsLast(last) ? times + 1 : 0;
    const round = rounds.see(last);
    if (round !== undefined && someOf(round, hasItems)) return { kind: 'items', round };
    return times === 0 ? undefined : { kind: 'row', times };
  };
}

function someOf({ from, period }: Round, has: (index: number) => boolean): boolean {
  for (let index = from; index < from + period; index++) if (has(index)) return true;
  return false;
}
