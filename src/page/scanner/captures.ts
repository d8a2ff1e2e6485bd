/**
 * The captured values of one scan. A later duplicate of a member discards the captures of an earlier one, at every
 * level of a path.
 */

import { rememberFor } from '../../core/util/remember.js';
import { OPEN_ARRAY, OPEN_OBJECT } from './items-locator.js';
import { type CapturedText, createSlots, nothing } from './slots.js';
import type { ScanState, States } from './states.js';

export interface Captures {
  /** Returns the capture of a path by index. Index `count` is the data field path, which keeps only sibling names. */
  get(index: number): CapturedText;
  /**
   * Handles the start of a value on a path. Returns whether to capture it.
   */
  open(state: ScanState, value: OpenedValue): boolean;
  /** Handles the end of the captured value that was opened last; `buffer` holds all open captures. */
  close(buffer: Uint8Array): void;
  /** Handles an open capture that is too large. Returns whether it is dropped: a scalar, silent on all of its paths. */
  giveUp(): boolean;
  /** Handles a member name in a container on a path. */
  pass(state: ScanState, name: string): void;
  /** The path index of the outermost open capture. */
  outermost(): number | undefined;
}

/** A value that begins: its first byte, where its copy begins in the buffer, and the latest name of a member. */
export interface OpenedValue {
  readonly first: number;
  readonly start: number;
  readonly name: string;
}

/** Indexes of paths, as in `ScanOptions`. */
export interface CaptureKinds {
  readonly shallow: ReadonlySet<number>;
  readonly silent: ReadonlySet<number>;
  readonly figures: ReadonlySet<number>;
}

/** A path to, or through, the value of a state. */
interface Reached {
  readonly path: number;
  readonly isComplete: boolean;
  readonly isFigure: boolean;
  readonly isShallow: boolean;
}

/** The paths of a state; `passing` are those through it that only have values: they have nothing to do at first. */
interface ReachedPaths {
  readonly passing: readonly number[];
  readonly others: readonly Reached[];
}

/** Made once for a state: a first page has a hundred paths at its root, and each child job begins with one. */
const reachedBy = rememberFor((shallow: CaptureKinds['shallow']) =>
  rememberFor((silent: CaptureKinds['silent']) =>
    rememberFor((figures: CaptureKinds['figures']) =>
      rememberFor((states: States) =>
        rememberFor((state: ScanState): ReachedPaths => {
          const all = state.paths.map((path) => ({
            path,
            isComplete: states.isComplete(state, path),
            isFigure: figures.has(path),
            isShallow: shallow.has(path),
          }));
          const isPassing = ({ path, isComplete, isFigure }: Reached) => silent.has(path) && !isComplete && !isFigure;
          const passing = all.filter(isPassing).map(({ path }) => path);
          return { passing, others: all.filter((each) => !isPassing(each)) };
        }),
      ),
    ),
  ),
);

/** The value of a list or an object for a path that needs only its kind. */
const kinds: ReadonlyMap<number, Uint8Array> = new Map([
  [OPEN_ARRAY, Buffer.from('[]')],
  [OPEN_OBJECT, Buffer.from('{}')],
]);

/** Path `i` of the automaton is capture `i`, for `i` below `count`; path `count` is followed but never captured. */
export function createCaptures(states: States, count: number, { shallow, silent, figures }: CaptureKinds): Captures {
  const slots = createSlots(states, count, silent);
  const reached = reachedBy(shallow)(silent)(figures)(states);
  const tables = figures.size === 0 ? noTables : createTables();
  const open: { readonly paths: readonly number[]; readonly start: number; readonly name: string }[] = [];
  let isGivenUp = false;

  return {
    get: (index) => (figures.has(index) ? tables.get(index) : slots.get(index)),

    open: (state, { first, start, name }) => {
      const kind = kinds.get(first);
      const { passing, others } = reached(state);
      if (slots.isAny()) for (const path of passing) slots.reach(state, path, undefined);
      let taken: number[] | undefined;
      for (const { path, isComplete, isFigure, isShallow } of others) {
        const known = isComplete && isShallow ? kind : undefined;
        if (!isFigure) slots.reach(state, path, known);
        else if (!isComplete) tables.clear(path);
        const isTaken = isFigure ? isDigit(first) : known === undefined;
        if (!isComplete || !isTaken || path >= count) continue;
        if (taken === undefined) taken = [path];
        else taken.push(path);
      }
      if (taken === undefined) return false;
      open.push({ paths: taken, start, name });
      return true;
    },

    close: (buffer) => {
      const ended = open.pop();
      if (ended !== undefined && !isGivenUp) {
        const json = new Uint8Array(buffer.subarray(ended.start));
        for (const path of ended.paths) {
          if (figures.has(path)) tables.add(path, ended.name, json);
          else slots.fill(path, json);
        }
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

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** Of a scan without paths of figures: it stays empty. */
const noTables = createTables();

/** Members of one object that are kept. */
const mostFigures = 64;

/** The numbers at each path of figures, by name. */
function createTables() {
  const tables = new Map<number, Map<string, string>>();
  return {
    add(path: number, name: string, json: Uint8Array): void {
      const table = tables.get(path) ?? new Map<string, string>();
      if (table.size < mostFigures || table.has(name)) table.set(name, Buffer.from(json).toString('latin1'));
      tables.set(path, table);
    },
    clear: (path: number) => void tables.delete(path),
    get(path: number): CapturedText {
      const table = tables.get(path);
      if (table === undefined) return nothing;
      const members = [...table].map(([name, number]) => `${JSON.stringify(name)}:${number}`);
      return { json: Buffer.from(`{${members.join(',')}}`), beside: [], depth: -1 };
    },
  };
}
