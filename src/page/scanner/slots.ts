/**
 * What each path of one scan has led to so far: the value, how far the path led, and what stood beside where it ended.
 */
import type { ScanState, States } from './states.js';

export interface CapturedText {
  /** Compact JSON; undefined when the path leads nowhere. */
  readonly json: Uint8Array | undefined;
  /** The first 64 names of the deepest container that was reached, when the next segment was missing there. */
  readonly beside: readonly string[];
  /** How many segments have led on; -1: there was no value at all. */
  readonly depth: number;
}

export interface Slots {
  /** By the index of a path. */
  get(index: number): CapturedText;
  /** A value on the path begins: what an earlier one gave is void. `json`: it is known already. */
  reach(state: ScanState, path: number, json: Uint8Array | undefined): void;
  /** The value that was reached has ended. */
  fill(path: number, json: Uint8Array): void;
  /** A member name was read in a container on a path. */
  pass(state: ScanState, name: string): void;
}

const BESIDE = 64;

interface Slot {
  readonly json: Uint8Array | undefined;
  readonly beside: string[];
  readonly depth: number;
}

/** Of paths up to `count`, itself included; `silent` are those that give a value alone. */
export function createSlots(states: States, count: number, silent: ReadonlySet<number>): Slots {
  const slots: (Slot | undefined)[] = [];
  const located = new Map<ScanState, readonly number[]>();

  /** Those of the state that give more than a value: few, where there may be many paths. */
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
