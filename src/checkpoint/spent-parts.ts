/**
 * Parts of the store whose rows nobody needs any more: they may go when what is written behind them outlives the
 * machine.
 */
import type { Position } from './position.js';
import type { OpenStore } from './store.js';

export interface SpentParts {
  /** The position has gone on. */
  note(): void;
  /** Those that are spent by now; what it returns removes them. */
  take(): () => Promise<void>;
}

/** The parts that hold rows which are still needed. */
export const partsOf = (position: Pick<Position, 'rows'>): ReadonlySet<string> =>
  new Set(position.rows().map(({ part }) => part));

/** Starts with none: what the position does not need now has been removed before. */
export function createSpentParts(store: Pick<OpenStore, 'removePart'>, position: Pick<Position, 'rows'>): SpentParts {
  let needed = partsOf(position);
  let spent: string[] = [];

  return {
    note() {
      const now = partsOf(position);
      spent.push(...[...needed].filter((name) => !now.has(name)));
      needed = now;
    },
    take() {
      const names = spent;
      spent = [];
      return async () => {
        for (const name of names) await store.removePart(name);
      };
    },
  };
}
