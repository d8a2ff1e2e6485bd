/** The current result of each path of one scan: its value, its depth, and the sibling names where it ended. */
import { rememberFor } from '../../core/util/remember.js';
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
  /** Whether any path has been reached. */
  isAny(): boolean;
  /** Handles the start of a value on a path and discards an earlier one. `json`: the value, if already known. */
  reach(state: ScanState, path: number, json: Uint8Array | undefined): void;
  /** Handles the end of that value. */
  fill(path: number, json: Uint8Array): void;
  /** Handles a member name in a container on a path. */
  pass(state: ScanState, name: string): void;
}

const BESIDE = 64;

/** The result of a path that led to no value. */
export const nothing: CapturedText = { json: undefined, beside: [], depth: -1 };

interface Slot {
  readonly json: Uint8Array | undefined;
  readonly beside: string[];
  readonly depth: number;
}

/** The paths of a state that are not silent: few, even if there are many paths. */
const locatedBeside = rememberFor((silent: ReadonlySet<number>) =>
  rememberFor(({ paths }: ScanState) => (silent.size === 0 ? paths : paths.filter((path) => !silent.has(path)))),
);

/** Creates slots for paths 0 to `count`, inclusive; `silent` paths return a value only. */
export function createSlots(states: States, count: number, silent: ReadonlySet<number>): Slots {
  const slots: (Slot | undefined)[] = [];
  const locatedPaths = locatedBeside(silent);

  return {
    get: (index) => slots[index] ?? nothing,
    isAny: () => slots.length > 0,
    reach: (state, path, json) => {
      if (json === undefined && silent.has(path)) {
        if (slots[path] !== undefined) slots[path] = undefined;
      } else if (path <= count) slots[path] = { json, beside: [], depth: state.depth };
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
