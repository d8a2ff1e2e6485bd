/** Collects data for pagination while a page streams: a fold of its items, and the size of its body. */
import type { Exact } from '../../core/json/exact.js';
import type { Paginator } from '../../pagination/types.js';
import { createVolume, type Volume } from '../compact-size.js';
import type { PageStage } from '../page-stage.js';

/** Folds items, starting with the result of the previous page. Undefined if the paginator folds nothing. */
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

/** Measures the body as the reference program does. Undefined if the paginator does not need it. */
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
