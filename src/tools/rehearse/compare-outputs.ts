/** Compares the files of a run with those of the undisturbed run: bytes first, then items. */

/** File name -> content. */
export type Output = ReadonlyMap<string, string>;

export interface OutputDifference {
  /** Items that the undisturbed run has, and this one has not. */
  readonly lost: number;
  readonly repeated: number;
  /** Items that the undisturbed run has not. */
  readonly changed: number;
  /** The same items in another order. */
  readonly isReordered: boolean;
}

/** Undefined: all bytes are equal. */
export function compareOutputs(expected: Output, found: Output): OutputDifference | undefined {
  const names = [...new Set([...expected.keys(), ...found.keys()])];
  const different = names.filter((name) => expected.get(name) !== found.get(name));
  if (different.length === 0) return undefined;
  const sum = { lost: 0, repeated: 0, changed: 0 };
  for (const name of different) {
    const [before, now] = [countsOf(expected.get(name)), countsOf(found.get(name))];
    for (const [line, count] of before) sum.lost += Math.max(0, count - (now.get(line) ?? 0));
    for (const [line, count] of now) {
      const known = before.get(line);
      if (known === undefined) sum.changed += count;
      else sum.repeated += Math.max(0, count - known);
    }
  }
  return { ...sum, isReordered: sum.lost + sum.repeated + sum.changed === 0 };
}

function countsOf(text = ''): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split('\n')) if (line !== '') counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
