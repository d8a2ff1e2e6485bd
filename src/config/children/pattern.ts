/** Patterns with `%` as wildcard, matched in linear time. */

/**
 * Compiles a pattern that must match the whole text, case-sensitively. `%` matches any characters except line breaks,
 * or none; all others match themselves. docs/12-compatibility.md#filters.
 */
export function patternOf(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('%');
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => text.startsWith(first) && endsWell(text, first.length, rest, last);
}

/**
 * The leftmost place of each piece is enough: a later one only lengthens the run before it, and any line break in the
 * run after it would be met anyway.
 */
function endsWell(text: string, start: number, pieces: readonly string[], last: string): boolean {
  let from = start;
  for (const piece of pieces) {
    const at = text.indexOf(piece, from);
    if (at === -1 || hasBreak(text, from, at)) return false;
    from = at + piece.length;
  }
  const end = text.length - last.length;
  return end >= from && text.endsWith(last) && !hasBreak(text, from, end);
}

const hasBreak = (text: string, from: number, to: number): boolean => text.slice(from, to).includes('\n');
