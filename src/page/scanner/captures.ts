/**
 * The captured values of one scan. A later duplicate of a member discards the captures of an earlier one, at every
 * level of a path.
 */

import { OPEN_ARRAY, OPEN_OBJECT } from './items-locator.js';
import { type CapturedText, createSlots } from './slots.js';
import type { ScanState, States } from './states.js';

export interface Captures {
  /** Returns the capture of a path by index. Index `count` is the data field path, which keeps only sibling names. */
  get(index: number): CapturedText;
  /**
   * Handles the start of a value on a path; its first byte is `first`. Returns whether to capture it; `start` is the
   * position in the buffer where its copy begins.
   */
  open(state: ScanState, first: number, start: number): boolean;
  /** Handles the end of the captured value that was opened last; `buffer` holds all open captures. */
  close(buffer: Uint8Array): void;
  /** Handles an open capture that is too large. Returns whether it is dropped: a scalar, silent on all of its paths. */
  giveUp(): boolean;
  /** Handles a member name in a container on a path. */
  pass(state: ScanState, name: string): void;
  /** The path index of the outermost open capture. */
  outermost(): number | undefined;
}

/** Indexes of paths: those that do not copy a list or an object, and those that return a value only. */
interface Kinds {
  readonly shallow: ReadonlySet<number>;
  readonly silent: ReadonlySet<number>;
}

/** The value of a list or an object for a path that needs only its kind. */
const kinds: ReadonlyMap<number, Uint8Array> = new Map([
  [OPEN_ARRAY, Buffer.from('[]')],
  [OPEN_OBJECT, Buffer.from('{}')],
]);

/** Path `i` of the automaton is capture `i`, for `i` below `count`; path `count` is followed but never captured. */
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
