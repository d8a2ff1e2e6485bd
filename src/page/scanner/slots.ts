/** The current result of each path of one scan: its value, its depth, and the sibling names where it ended. */
import type { ScanState, States } from './states.js';

export interface CapturedText {
  /** Compact JSON; undefined when the path leads to no value. */
  readonly json: Uint8Array | undefined;
  /** The first 64 names of the deepest container reached, when the next segment is missing there. */
  readonly beside: readonly string[];
  /** The number of matched segments; -1: there was no value at all. */
  readonly depth: number;
}

export interface Slots {
  /** Returns the result of a path by index. */
  get(index: number): CapturedText;
  /** Handles the start of a value on a path and discards an earlier one. `json`: the value, if already known. */
  reach(state: ScanState, path: number, json: Uint8Array | undefined): void;
  /** Handles the end of that value. */
  fill(path: number, json: Uint8Array): void;
  /** Handles a member name in a container on a path. */
  pass(state: ScanState, name: string): void;
}

const BESIDE = 64;

interface Slot {
  readonly json: Uint8Array | undefined;
  readonly beside: string[];
  readonly depth: number;
}

/** Creates slots for paths 0 to `count`, inclusive; `silent` paths return a value only. */
export function createSlots(states: States, count: number, silent: ReadonlySet<number>): Slots {
  const slots: (Slot | undefined)[] = [];
  const located = new Map<ScanState, readonly number[]>();

  /** The paths of the state that are not silent: few, even if there are many paths. */
  function locatedPaths(state: ScanState): readonly number[] {
    const known = located.get(state);
    if (known !== undefined) return known;
    const paths = silent.size === 0 ? state.paths : state.paths.filter((path) => !silent.has(path));
    located.set(state, paths);
    return paths;
  }

  return {
    get: (index) => {
      const { json, beside = [], depth = -1 } = slots[index] ?? {};
      return { json, beside, depth };
    },
    reach: (state, path, json) => {
      if (json === undefined && silent.has(path)) slots[path] = undefined;
      else if (path <= count) slots[path] = { json, beside: [], depth: state.depth };
    },
    fill: (path, json) => {
      const { beside = [], depth = -1 } = slots[path] ?? {};
      slots[path] = { json, beside, depth };
    },
    pass: (state, name) => {
      for (const path of locatedPaths(state)) {
        const slot = slots[path];
        if (slot === undefined || slot.depth !== state.depth || states.isComplete(state, path)) continue;
        if (slot.beside.length < BESIDE && !slot.beside.includes(name)) slot.beside.push(name);
      }
    },
  };
}
