/** Counts the runs of one extraction that are under way: what they share is let go when the last one ends. */

import { ExtractError } from '../../core/errors/errors.js';
import type { RunContext } from '../engine.js';

export interface RefCount {
  /** One more run. Throws ERR_USAGE where runs side by side could wait for each other for ever. */
  acquire(): void;
  /** One run less. */
  release(): Promise<void>;
}

/**
 * Starts at none. With a login before every request, page and login hold the one turn there is until the consumer has
 * taken the page.
 */
export function createRefCount({ isSequential, release }: Pick<RunContext, 'isSequential' | 'release'>): RefCount {
  let active = 0;
  return {
    acquire() {
      if (isSequential && active > 0) {
        throw new ExtractError(
          'ERR_USAGE',
          'expires is 0: each request needs its own login, so two runs of one extraction would wait for each other; ' +
            'end the first run, or call extract() for each',
        );
      }
      active += 1;
    },
    async release() {
      active -= 1;
      if (active === 0) await release();
    },
  };
}
