/** What pagination learns of a page while it streams by: its items folded into a memo, and the size of its body. */
import type { Exact } from '../../core/json/exact.js';
import type { Paginator } from '../../pagination/types.js';
import { createVolume, type Volume } from '../compact-size.js';
import type { PageStage } from '../page-stage.js';

/** Folds items. Each page begins with the memo of the one before it. Absent where the scroller folds nothing. */
export function foldItems({ fold }: Pick<Paginator, 'fold'>): PageStage | undefined {
  if (fold === undefined) return undefined;
  let before: Exact | undefined;
  let memo: Exact | undefined;
  return {
    begin(attempt) {
      before = attempt.memo;
      memo = before;
    },
    write(slab, next) {
      memo = fold(memo, slab) ?? memo;
      return next(slab);
    },
    rollback() {
      memo = before;
    },
    report(result) {
      result.memo = memo;
    },
  };
}

/** Measures the body, as the reference program counts it. Absent where the scroller does not ask for it. */
export function measureBody({ volume }: Pick<Paginator, 'volume'>): PageStage | undefined {
  if (volume !== true) return undefined;
  let measured: Volume = createVolume();
  return {
    begin() {
      measured = createVolume();
    },
    see: (chunk) => measured.add(chunk),
    report(result) {
      result.volume = measured.bytes();
    },
  };
}
