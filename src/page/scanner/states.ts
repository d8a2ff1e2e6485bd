/** The paths of one scan as a small automaton: a state is the set of paths to, or through, one value. */

/** A segment of a path; null matches any member name. */
export type Segment = string | null;
export type Path = readonly Segment[];

export interface ScanState {
  /** From 1 up; the scanner's 0 means off every path. */
  readonly id: number;
  /** The number of segments followed. */
  readonly depth: number;
  /** Indexes of the paths that match up to here, in order. */
  readonly paths: readonly number[];
}

export interface States {
  readonly root: ScanState;
  get(id: number): ScanState;
  /** The id of the state of a member with that name; 0: no path. */
  member(state: ScanState, name: string): number;
  /** The id of the state of an array element; 0: no path. */
  element(state: ScanState, index: number): number;
  /** The smallest element index from `from` up on a path, or `NO_INDEX`. */
  wanted(state: ScanState, from: number): number;
  /** Whether a path continues into a container of that state. */
  leadsOn(state: ScanState, isArray: boolean): boolean;
  /** Whether the path ends at that state. */
  isComplete(state: ScanState, path: number): boolean;
}

/** Path indexes by next member name, those that match any name, and the indexes of array elements, ascending. */
interface Leads {
  readonly named: Map<string, number[]>;
  readonly any: number[];
  readonly elements: number[];
}

/** No index; larger than any array of a body. */
export const NO_INDEX = 0xffffffff;

/** A segment of digits indexes an array, as in `exactAt`. */
const asIndex = (segment: Segment | undefined): number =>
  typeof segment === 'string' && /^\d+$/.test(segment) ? Math.min(Number(segment), NO_INDEX) : NO_INDEX;

function addTo(lists: Map<string, number[]>, name: string, path: number): void {
  const list = lists.get(name);
  if (list === undefined) lists.set(name, [path]);
  else list.push(path);
}

/**
 * Returns the automaton of the paths and of the last one. Scans share it: those of one walk have the same paths. The
 * cache ends with the list of paths.
 */
export function statesOf(paths: readonly Path[], last: Path): States {
  const known = automata.get(paths);
  if (known?.last === last) return known.states;
  const states = createStates([...paths, last]);
  automata.set(paths, { last, states });
  return states;
}

const automata = new WeakMap<readonly Path[], { readonly last: Path; readonly states: States }>();

/** Creates the automaton; creates states on first use. */
function createStates(paths: readonly Path[]): States {
  const { idOf, get } = createTable();
  const leads = new Map<ScanState, Leads>();
  const segmentAt = (state: ScanState, path: number) => paths[path]?.[state.depth];

  /**
   * Cached per state, because most names of a large object are on no path: one lookup per name, whatever the number of
   * paths.
   */
  function leadsOf(state: ScanState): Leads {
    const known = leads.get(state);
    if (known !== undefined) return known;
    const made = leadsBy(segmentAt, state);
    leads.set(state, made);
    return made;
  }

  function wanted(state: ScanState, from: number): number {
    for (const index of leadsOf(state).elements) if (index >= from) return index;
    return NO_INDEX;
  }

  return {
    root: get(
      idOf(
        0,
        paths.map((_, path) => path),
      ),
    ),
    get,
    member(state, name) {
      const { named, any } = leadsOf(state);
      const own = named.get(name);
      const members = own === undefined || any.length === 0 ? (own ?? any) : [...own, ...any].sort((a, b) => a - b);
      return idOf(state.depth + 1, members);
    },
    element(state, index) {
      if (!leadsOf(state).elements.includes(index)) return 0;
      const paths = state.paths.filter((path) => asIndex(segmentAt(state, path)) === index);
      return idOf(state.depth + 1, paths);
    },
    wanted,
    leadsOn(state, isArray) {
      const { named, any, elements } = leadsOf(state);
      return isArray ? elements.length > 0 : named.size > 0 || any.length > 0;
    },
    isComplete: (state, path) => paths[path]?.length === state.depth,
  };
}

/** The states so far: one for each depth and set of paths. */
function createTable() {
  const states: ScanState[] = [];
  const ids = new Map<string, number>();

  return {
    /** Returns the id of the state and creates it if needed; 0: no path. */
    idOf(depth: number, paths: readonly number[]): number {
      if (paths.length === 0) return 0;
      const key = `${depth}:${paths}`;
      const known = ids.get(key);
      if (known !== undefined) return known;
      const id = states.push({ id: states.length + 1, depth, paths });
      ids.set(key, id);
      return id;
    },
    get(id: number): ScanState {
      const state = states[id - 1];
      if (state === undefined) throw new RangeError(`no state ${id}`);
      return state;
    },
  };
}

function leadsBy(segmentAt: (state: ScanState, path: number) => Segment | undefined, state: ScanState): Leads {
  const made: Leads = { named: new Map(), any: [], elements: [] };
  const indexes = new Set<number>();
  for (const path of state.paths) {
    const segment = segmentAt(state, path);
    if (segment === null) made.any.push(path);
    else if (segment !== undefined) addTo(made.named, segment, path);
    indexes.add(asIndex(segment));
  }
  indexes.delete(NO_INDEX);
  made.elements.push(...[...indexes].sort((a, b) => a - b));
  return made;
}
