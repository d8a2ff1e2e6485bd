/**
 * A set of secret values that grows, and the automata that find them: built when the first text is searched, as most
 * runs have nothing to mask.
 */
import { createMatcher, type Matcher } from './matcher.js';

/** Shorter values would be found in innocent text: they are known as wholes alone. */
export const shortest = 4;

export interface ValueSet {
  add(value: string): void;
  has(value: string): boolean;
  values(): Iterable<string>;
  readonly size: number;
  /** Few, however many values there are. */
  matchers(): readonly Matcher[];
}

/** Values with the number of their characters; the automaton is of just these. */
interface Part {
  readonly values: readonly string[];
  readonly length: number;
  readonly matcher: Matcher;
}

/** Makes an empty set. */
export function createValueSet(): ValueSet {
  const values = new Set<string>();
  let parts: readonly Part[] = [];
  let waiting: string[] = [];

  function add(value: string): void {
    if (value === '' || values.has(value)) return;
    values.add(value);
    if (value.length >= shortest) waiting.push(value);
  }

  return {
    add(value) {
      add(value);
      // A header goes out without the white space around it, such as the line break after a value that was read from a
      // file.
      add(value.trim());
    },
    has: (value) => values.has(value),
    values: () => values,
    get size() {
      return values.size;
    },
    matchers() {
      if (waiting.length > 0) parts = grown(parts, waiting);
      waiting = [];
      return parts.map(({ matcher }) => matcher);
    },
  };
}

/**
 * Each part is more than twice as long as the next: values are built in again as often as the logarithm of all, and
 * parts are as few.
 */
function grown(parts: readonly Part[], added: readonly string[]): readonly Part[] {
  const kept = [...parts];
  const lists = [added];
  let length = lengthOf(added);
  for (let last = kept.at(-1); last !== undefined && last.length <= 2 * length; last = kept.at(-1)) {
    kept.pop();
    lists.push(last.values);
    length += last.length;
  }
  const values = lists.flat();
  return [...kept, { values, length, matcher: createMatcher(values) }];
}

const lengthOf = (values: readonly string[]): number => values.reduce((sum, value) => sum + value.length, 0);
