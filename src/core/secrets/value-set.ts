/**
 * A growing set of secret values and the automata that find them, built when the first text is searched: most runs have
 * nothing to mask.
 */
import { createMatcher, type Matcher } from './matcher.js';

/** Shorter values would match harmless text: they are masked only as whole values. */
export const shortest = 4;

export interface ValueSet {
  add(value: string): void;
  has(value: string): boolean;
  values(): Iterable<string>;
  readonly size: number;
  /** Few, whatever the number of values. */
  matchers(): readonly Matcher[];
}

/** Values, the sum of their lengths, and their automaton. */
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
      // A header is sent without surrounding white space, such as the line break at the end of a value from a file.
      add(value.trim());
    },
    has: (value) => values.has(value),
    values: () => values,
    get size() {
      return values.size;
    },
    matchers() {
      if (waiting.length > 0) parts = addPart(parts, waiting);
      waiting = [];
      return parts.map(({ matcher }) => matcher);
    },
  };
}

/**
 * Keeps each part more than twice as long as the next: so there are few parts, and values are rebuilt only
 * logarithmically often.
 */
function addPart(parts: readonly Part[], added: readonly string[]): readonly Part[] {
  const remaining = [...parts];
  const lists = [added];
  let length = lengthOf(added);
  for (let last = remaining.at(-1); last !== undefined && last.length <= 2 * length; last = remaining.at(-1)) {
    remaining.pop();
    lists.push(last.values);
    length += last.length;
  }
  const values = lists.flat();
  return [...remaining, { values, length, matcher: createMatcher(values) }];
}

const lengthOf = (values: readonly string[]): number => values.reduce((sum, value) => sum + value.length, 0);
