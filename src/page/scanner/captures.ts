/**
 * The captured values of one scan. A later duplicate of a member voids what an earlier one gave, at every level of a
 * path.
 */

import { OPEN_ARRAY, OPEN_OBJECT } from './items-locator.js';
import { type CapturedText, createSlots } from './slots.js';
import type { ScanState, States } from './states.js';

export interface Captures {
  /**
   * By the index of a path; that of `count` is the path of the data field, of which only the names beside it are kept.
   */
  get(index: number): CapturedText;
  /**
   * A value on a path begins with byte `first`. Returns whether it is to be captured; `start` is where in the buffer it
   * will begin.
   */
  open(state: ScanState, first: number, start: number): boolean;
  /** The last opened of the captured values has ended; `buffer` holds all that is being captured. */
  close(buffer: Uint8Array): void;
  /**
   * What is being captured is too large. Returns whether it is given up: a single value, which is silent on all of its
   * paths.
   */
  giveUp(): boolean;
  /** A member name was read in a container on a path. */
  pass(state: ScanState, name: string): void;
  /** The index of the outermost value that is being captured. */
  outermost(): number | undefined;
}

/** Indexes of paths: of which a list or an object is not copied, and which give a value alone. */
interface Kinds {
  readonly shallow: ReadonlySet<number>;
  readonly silent: ReadonlySet<number>;
}

/** What a list or an object is to a path that asks for its kind alone. */
const kinds: ReadonlyMap<number, Uint8Array> = new Map([
  [OPEN_ARRAY, Buffer.from('[]')],
  [OPEN_OBJECT, Buffer.from('{}')],
]);

/** Path `i` of the automaton is capture `i`, for `i` below `count`; the one after them is followed, never captured. */
export function createCaptures(states: States, count: number, { shallow, silent }: Kinds): Captures {
  const slots = createSlots(states, count, silent);
  const open: { readonly paths: readonly number[]; readonly start: number }[] = [];
  let isGivenUp = false;

  return {
    get: slots.get,

    open: (state, first, start) => {
      const kind = kinds.get(first);
      const known = (path: number) => (shallow.has(path) && states.isComplete(state, path) ? kind : undefined);
      for (const path of state.paths) slots.reach(state, path, known(path));
      const complete = state.paths.filter(
        (path) => path < count && states.isComplete(state, path) && known(path) === undefined,
      );
      if (complete.length === 0) return false;
      open.push({ paths: complete, start });
      return true;
    },

    close: (buffer) => {
      const ended = open.pop();
      if (ended !== undefined && !isGivenUp) {
        const json = new Uint8Array(buffer.subarray(ended.start));
        for (const path of ended.paths) slots.fill(path, json);
      }
      isGivenUp = false;
    },

    giveUp: () => {
      const [only, ...others] = open;
      isGivenUp = only !== undefined && others.length === 0 && only.paths.every((path) => silent.has(path));
      return isGivenUp;
    },

    pass: slots.pass,

    outermost: () => open[0]?.paths[0],
  };
}
