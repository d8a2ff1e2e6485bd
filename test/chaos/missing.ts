/** Compares what came with what was to come, as often as it was to. */

/** How many of `all` have no partner in `those`. */
export function missingFrom(those: readonly string[], all: readonly string[]): number {
  const left = new Map<string, number>();
  for (const line of those) left.set(line, (left.get(line) ?? 0) + 1);
  return all.filter((line) => {
    const times = left.get(line) ?? 0;
    left.set(line, times - 1);
    return times <= 0;
  }).length;
}
