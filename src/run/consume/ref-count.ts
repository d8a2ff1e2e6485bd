/** Counts the runs of one extraction that are under way: what they share is let go when the last one ends. */

import { ExtractError } from '../../core/errors/errors.js';
import type { Engine } from '../engine.js';

export interface Uses {
  /** One more run. Throws ERR_USAGE where runs side by side could wait for each other for ever. */
  enter(): void;
  /** One run less. */
  leave(): Promise<void>;
}

/** Starts at none. With a login before every request, page and login hold the one turn there is until the consumer has taken the page. */
export function createUses({ isSequential, release }: Pick<Engine, 'isSequential' | 'release'>): Uses {
  let active = 0;
  return {
    enter() {
      if (isSequential && active > 0) {
        throw new ExtractError(
          'ERR_USAGE',
          'expires is 0: a login goes before every request, so that two runs of one extraction would wait for each other; ' +
            'end the first one before, or call extract() for each',
        );
      }
      active += 1;
    },
    async leave() {
      active -= 1;
      if (active === 0) await release();
    },
  };
}
