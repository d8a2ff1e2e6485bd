/** Finds any of many values in bytes, in time linear in the bytes: an Aho-Corasick automaton over UTF-8. */
import { byteAt, numberAt } from './number-tables.js';

/** States are numbers; in state 0 nothing of a value has been read. */
export interface Matcher {
  /** The state after one more byte. */
  step(state: number, byte: number): number;
  /** Length in bytes of the longest value that ends at this state; 0: none. */
  endsAt(state: number): number;
  /** Length in bytes of the longest prefix of a value that has been read. */
  depthOf(state: number): number;
  /** 1 for each byte that leaves state 0. */
  readonly starts: Uint8Array;
}

/**
 * Builds the automaton of non-empty values. It takes about 10 bytes for each of theirs. A plus and a space are the same
 * byte, because forms write one for the other.
 */
export function createMatcher(values: readonly string[]): Matcher {
  const trie = createTrie(values);
  const fails = linkFails(trie);
  return {
    step: (state, byte) => follow(trie, fails, state, byteAt(alike, byte)),
    endsAt: (state) => numberAt(trie.ends, state),
    depthOf: (state) => (state === 0 ? 0 : trie.chains.depthOf(state)),
    starts: alike.map((byte) => (childOf(trie, 0, byte) === 0 ? 0 : 1)),
  };
}

/** Marks the end of each chain. It is no byte of UTF-8. */
const chainEnd = 0xff;

/** Maps each byte to the one it is compared as. */
const alike = Uint8Array.from({ length: 256 }, (_, byte) => (byte === 0x2b ? 0x20 : byte === chainEnd ? 0xfe : byte));

/**
 * The prefixes of all values. A value adds a chain of consecutive states, so most edges need no table: they lead to the
 * next state if its label is the byte.
 */
interface Trie {
  readonly labels: Uint8Array;
  /** As `Matcher.endsAt`; values that end inside another are added by `linkFails`. */
  readonly ends: Uint32Array;
  readonly chains: Chains;
}

function createTrie(values: readonly string[]): Trie {
  const size = values.reduce((sum, value) => sum + Buffer.byteLength(value) + 1, 2);
  const labels = new Uint8Array(size).fill(chainEnd);
  const ends = new Uint32Array(size);
  const chains = createChains(values.length, labels);
  const trie = { labels, ends, chains };
  let next = 2; // state 0 has no chain of its own, and 1 is its end
  for (const value of values) {
    const bytes = Buffer.from(value);
    let [state, depth] = [0, 0];
    for (; depth < bytes.length; depth += 1) {
      const known = childOf(trie, state, byteAt(alike, byteAt(bytes, depth)));
      if (known === 0) break;
      state = known;
    }
    if (depth < bytes.length) {
      const start = next;
      for (let at = depth; at < bytes.length; at += 1, next += 1) labels[next] = byteAt(alike, byteAt(bytes, at));
      chains.add(start, depth + 1, state);
      state = next - 1;
      next += 1;
    }
    ends[state] = bytes.length;
  }
  return trie;
}

/** Returns 0 if there is none. */
const childOf = ({ labels, chains }: Trie, state: number, byte: number): number => {
  if (labels[state + 1] === byte) return state + 1;
  return chains.isParent(state) ? chains.branch(state, byte) : 0;
};

/** Where chains begin: first state, depth and parent state, and a hash table of the edges to them. */
interface Chains {
  /** Adds a chain whose labels are known. Chains are added in the order of their states. */
  add(start: number, depth: number, parent: number): void;
  /** Whether a chain begins at the state. */
  isParent(state: number): boolean;
  /** Returns the first state of the chain; 0: there is none. */
  branch(parent: number, byte: number): number;
  depthOf(state: number): number;
  parentOf(chain: number): number;
  startOf(chain: number): number;
  /** The chains whose first state has this depth. */
  startingAt(depth: number): Iterable<number>;
}

/** Kept in arrays: there may be as many chains as values. */
function createChains(most: number, labels: Uint8Array): Chains {
  const bits = Math.max(4, Math.ceil(Math.log2(most + 1)) + 1);
  const table = new Uint32Array(2 ** bits); // numbers of chains, from 1 up
  const numbers = () => new Uint32Array(most + 1);
  const [starts, depths, parents, earlier] = [numbers(), numbers(), numbers(), numbers()];
  const branched = new Uint8Array(labels.length);
  const latest = new Map<number, number>(); // by depth; `earlier` links to the previous chain of that depth
  let count = 0;
  const slotOf = (parent: number, byte: number): number => {
    let slot = Math.imul(Math.imul(parent, 257) + byte, 0x9e3779b1) >>> (32 - bits);
    for (let chain = numberAt(table, slot); chain !== 0; chain = numberAt(table, slot)) {
      if (parents[chain] === parent && labels[numberAt(starts, chain)] === byte) break;
      slot = (slot + 1) % table.length;
    }
    return slot;
  };
  return {
    add(start, depth, parent) {
      count += 1;
      [starts[count], depths[count], parents[count], earlier[count]] = [start, depth, parent, latest.get(depth) ?? 0];
      latest.set(depth, count);
      branched[parent] = 1;
      table[slotOf(parent, byteAt(labels, start))] = count;
    },
    isParent: (state) => branched[state] === 1,
    branch: (parent, byte) => numberAt(starts, numberAt(table, slotOf(parent, byte))),
    depthOf(state) {
      const chain = lastUpTo(starts, count, state);
      return numberAt(depths, chain) + state - numberAt(starts, chain);
    },
    parentOf: (chain) => numberAt(parents, chain),
    startOf: (chain) => numberAt(starts, chain),
    *startingAt(depth) {
      for (let chain = latest.get(depth) ?? 0; chain !== 0; chain = numberAt(earlier, chain)) yield chain;
    },
  };
}

/** Returns the last of the ascending numbers, from 1 to `count`, that is at most `most`. */
function lastUpTo(numbers: Uint32Array, count: number, most: number): number {
  let [low, high] = [1, count];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (numberAt(numbers, middle) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Computes the state to continue from when the next byte does not fit: the longest other prefix that is a suffix of
 * what was read, level by level. A state that only the same byte would continue is skipped (Knuth, Morris and Pratt);
 * otherwise a value that repeats itself would be searched again and again.
 */
function linkFails(trie: Trie): Uint32Array {
  const { labels, chains } = trie;
  const fails = new Uint32Array(labels.length);
  let active: readonly Tip[] = [];
  for (let depth = 1; depth === 1 || active.length > 0; depth += 1) {
    const tips: Tip[] = [];
    for (const chain of chains.startingAt(depth)) {
      const state = chains.startOf(chain);
      tips.push(depth === 1 ? { state, fail: 0 } : linked(trie, fails, state, numberAt(fails, chains.parentOf(chain))));
    }
    for (const { state, fail } of active) {
      if (labels[state + 1] !== chainEnd) tips.push(linked(trie, fails, state + 1, fail));
    }
    active = tips;
  }
  return fails;
}

/** The last state of a chain so far, and its fail state before any is skipped. */
interface Tip {
  readonly state: number;
  readonly fail: number;
}

/** `above`: the fail state of its parent. */
function linked(trie: Trie, fails: Uint32Array, state: number, above: number): Tip {
  const { labels, ends, chains } = trie;
  const fail = follow(trie, fails, above, byteAt(labels, state));
  const [next, nextOfFail] = [labels[state + 1], labels[fail + 1]];
  const isPassed =
    (next === nextOfFail || nextOfFail === chainEnd) && !chains.isParent(fail) && !chains.isParent(state);
  fails[state] = isPassed ? numberAt(fails, fail) : fail;
  if (ends[state] === 0) ends[state] = numberAt(ends, fail);
  return { state, fail };
}

function follow(trie: Trie, fails: Uint32Array, state: number, byte: number): number {
  for (let from = state; ; from = numberAt(fails, from)) {
    const next = childOf(trie, from, byte);
    if (next !== 0 || from === 0) return next;
  }
}
