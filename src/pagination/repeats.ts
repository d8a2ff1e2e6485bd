/** Detects repeated pages: rounds of whole pages, and the same items in a round or on consecutive pages. */

import { createLoopDetector, type Round, type Same } from './loop-detector.js';
import type { Prints } from './prints.js';

/** What was repeated. `times`: how many consecutive pages had the items of the page before, this one included. */
export type Finding =
  | { readonly kind: 'pages' | 'items'; readonly round: Round }
  | { readonly kind: 'row'; readonly times: number };

/** Whether to compare the items of pages: always, until the first finding, or never. */
export type ItemsWatch = 'all' | 'first' | 'none';

export interface Repeats {
  /**
   * Examines the next page; a round of whole pages is reported first. Not called for a page that equals the one before
   * it.
   */
  see(print: bigint): Finding | undefined;
}

/** Continues after the pages in `prints`, and adds to them. */
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

/** Compares the items of consecutive pages. */
function createItemRepeats(prints: Prints): (last: number) => Finding | undefined {
  const { hasItems, hasSameItems } = prints;
  const repeatsLast = (index: number) => index > 0 && hasSameItems(index, index - 1);
  // Empty responses to one request are no repeats: a scroll waits for news like this.
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
