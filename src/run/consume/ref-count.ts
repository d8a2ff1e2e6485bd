/** Counts the active runs of one extraction: the last one releases what they share. */

import { ExtractError } from '../../core/errors/errors.js';
import type { RunContext } from '../run-context.js';

export interface RefCount {
  /** Adds a run. Throws ERR_USAGE if concurrent runs could wait for each other forever. */
  acquire(): void;
  /** Removes a run; the last one releases what they share. */
  release(): Promise<void>;
}

/**
 * Starts at zero. With a login before every request there is only one turn. A page and its login hold it until the
 * consumer has taken the page.
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
