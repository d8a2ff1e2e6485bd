/** Reports received bytes, and the items that the sink accepted. */
import type { PageStage } from '../page-stage.js';
import type { ProgressReporter } from '../progress.js';
import type { Slab } from '../scanner/scanner.js';

/** Creates the stage for walks with a listener. */
export function reportProgress(): PageStage {
  let progress: ProgressReporter | undefined;
  const taken = (slab: Slab) => progress?.taken(slab);
  return {
    begin(attempt) {
      progress = attempt.progress;
    },
    see: (chunk) => progress?.received(chunk),
    write(slab, next) {
      progress?.now('sink');
      const waiting = next(slab);
      return waiting === undefined ? taken(slab) : waiting.then(() => taken(slab));
    },
    rollback: () => progress?.takenBack(),
  };
}
