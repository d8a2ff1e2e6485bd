/**
 * What pagination learns of a page while it streams by: its items folded into a memo, its size as the reference program
 * counts it.
 */
import type { Exact } from '../../core/json/exact.js';
import type { Paginator } from '../../pagination/types.js';
import { createVolume } from '../compact-size.js';
import type { PageWriter } from '../page-writer.js';

export interface Accumulator {
  /** Measures the next bytes of the body; absent: the scroller does not ask for it. */
  readonly add?: (chunk: Uint8Array) => void;
  /** The transaction, its items folded on their way to the sink; what is taken back is forgotten. */
  transaction(page: PageWriter): PageWriter;
  readonly memo: Exact | undefined;
  /** Bytes; 0 where the scroller does not ask for it. */
  readonly volume: number;
}

/** Begins a page with the memo of the one before it. One attempt at a page, one tally. */
export function createAccumulator(
  scroller: Pick<Paginator, 'fold' | 'volume'>,
  before: Exact | undefined,
): Accumulator {
  const volume = createVolume();
  let memo = before;

  return {
    ...(scroller.volume === true ? { add: volume.add } : {}),
    transaction: (page) => {
      if (scroller.fold === undefined) return page;
      return {
        ...page,
        async write(slab) {
          memo = scroller.fold?.(memo, slab) ?? memo;
          await page.write(slab);
        },
        async rollback() {
          memo = before;
          await page.rollback();
        },
      };
    },
    get memo() {
      return memo;
    },
    get volume() {
      return volume.bytes;
    },
  };
}
