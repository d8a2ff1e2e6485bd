/** Digests the items of a page as the sink gets them, for the certificate of the run. */
import { createHash, type Hash } from 'node:crypto';
import type { PageStage } from '../page-stage.js';

/** Creates the stage for the walks of a run that is certified. A page without items has no digest. */
export function digestItems(): PageStage {
  let hash: Hash | undefined;
  const reset = () => {
    hash = undefined;
  };
  return {
    begin: reset,
    write(slab, next) {
      hash ??= createHash('sha256');
      hash.update(slab.bytes);
      return next(slab);
    },
    rollback: reset,
    report(result) {
      if (result.count > 0) result.sha256 = hash?.digest('hex');
    },
  };
}
