/** Follows the paths of captured values while the scanner reads. */
import { stringAt } from '../../core/json/byte-steps.js';
import type { DataField } from '../../core/model/job.js';
import { type CaptureKinds, type Captures, createCaptures } from './captures.js';
import type { Host, ScannerInstance } from './instance.js';
import { createTarget, type ItemsLocator, OPEN_ARRAY, OPEN_OBJECT } from './items-locator.js';
import { type Path, type ScanState, statesOf } from './states.js';

export interface PathTracker {
  readonly host: Host;
  /** The state of the document's root. */
  readonly root: number;
  readonly target: ItemsLocator;
  readonly captures: Captures;
  /** The fingerprint digests so far. */
  readonly chain: bigint[];
}

export interface TrackerOptions {
  readonly dataField: DataField;
  readonly captures: readonly (readonly string[])[];
  readonly kinds: CaptureKinds;
  readonly instance: ScannerInstance;
  /** Converts a position in the instance's memory to an offset in the body. */
  offsetOf(at: number): number;
  /** Discards all items so far. */
  onRestart(): void;
}

// Bits of assembly/entry.ts.
const TARGET = 2;
const CAPTURE = 4;
const TRACK = 8;
const RESTART = 16;

/** The length that the scanner reports for a name too long for any path. */
const TOO_LONG = -1;

export function createTracker(options: TrackerOptions): PathTracker {
  const { dataField, captures: paths, kinds, instance, offsetOf, onRestart } = options;
  const target = createTarget(dataField);
  const targetPath = paths.length;
  const states = statesOf(followedPaths(paths, kinds.figures), target.path);
  const captures = createCaptures(states, paths.length, kinds);
  const chain: bigint[] = [];
  let name = '';

  function openTarget(state: ScanState, first: number, at: number): number {
    if (!state.paths.includes(targetPath)) return 0;
    const { begins, restarts } = target.open({ depth: state.depth, first, name, offset: offsetOf(at) });
    if (restarts) {
      chain.length = 0;
      onRestart();
    }
    return (begins ? TARGET : 0) | (restarts ? RESTART : 0);
  }

  const host: Host = {
    name: (id, at, length) => {
      if (length === TOO_LONG) return 0;
      const state = states.get(id);
      // Its quotes are before and after it.
      name = stringAt(instance.memory(), at - 1, at + length + 1);
      captures.pass(state, name);
      return states.member(state, name);
    },
    element: (id, index) => states.element(states.get(id), index),
    wanted: (id, from) => states.wanted(states.get(id), from),
    open: (id, first, captured, at) => {
      const state = states.get(id);
      const track = isContainer(first) && states.leadsOn(state, first === OPEN_ARRAY) ? TRACK : 0;
      const capture = captures.open(state, { first, start: captured, name }) ? CAPTURE : 0;
      return track | capture | openTarget(state, first, at);
    },
    overflow: captures.giveUp,
    close: (at, captured) => captures.close(instance.memory().subarray(at, at + captured)),
    isEmpty: (at, length) => {
      const isEmpty = isEmptyScalar(instance.memory(), at, length);
      if (isEmpty) target.reject();
      return isEmpty;
    },
    digest: (digest) => {
      chain.push(BigInt.asUintN(64, digest));
    },
  };
  return { host, root: states.root.id, target, captures, chain };
}

const isContainer = (first: number): boolean => first === OPEN_ARRAY || first === OPEN_OBJECT;

/** With any name behind the paths of figures. Made once: the automaton is kept with its list of paths. */
function followedPaths(paths: readonly Path[], figures: ReadonlySet<number>): readonly Path[] {
  if (figures.size === 0) return paths;
  const known = followed.get(paths) ?? paths.map((path, index) => (figures.has(index) ? [...path, null] : path));
  followed.set(paths, known);
  return known;
}

const followed = new WeakMap<readonly Path[], readonly Path[]>();

/** The longest form of "0": a \u escape between quotes. */
const LONGEST_EMPTY_STRING = 8;

/**
 * Whether a scalar counts as nothing: null, false, "", "0", and zero in any notation. docs/12-compatibility.md#items.
 */
export function isEmptyScalar(memory: Buffer, at: number, length: number): boolean {
  const first = memory[at];
  if (first === 0x22) {
    if (length > LONGEST_EMPTY_STRING) return false;
    const value: unknown = JSON.parse(memory.toString('utf8', at, at + length));
    return value === '' || value === '0';
  }
  if (first === 0x6e || first === 0x66) return true; // null, false
  if (first === 0x74) return false; // true
  return /^[-0.]+(?:[eE]|$)/.test(memory.toString('latin1', at, at + length));
}
