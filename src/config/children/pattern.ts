/** Patterns with `%` for any run of characters, matched in one pass: no number of them makes it slow. */

/**
 * Compiles a pattern that has to match the whole text, case by case. `%` stands for any characters, none included, but
 * no line break; all else stands for itself. docs/12-compatibility.md#filters.
 */
export function patternOf(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('%');
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => text.startsWith(first) && endsWell(text, first.length, rest, last);
}

/**
 * The leftmost place of each piece is enough: a later one lengthens the run before it, and shortens the one behind by
 * no line break that the first would not meet as well.
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
