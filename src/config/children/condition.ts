/**
 * One condition of a `recursionFilter`: a path, an operator, and the value to compare with.
 * docs/12-compatibility.md#filters.
 */

/** The texts on both sides of an operator, and the test for the text of a value. */
export interface Condition {
  readonly path: string;
  readonly value: string;
  readonly passes: (text: string) => boolean;
}

type Test = (value: string) => (text: string) => boolean;

const operators: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['==', (value) => (text) => text === value],
  ['!=', (value) => (text) => text !== value],
  ['>=', (value) => (text) => compare(text, value) >= 0],
  ['<=', (value) => (text) => compare(text, value) <= 0],
  ['~~', compilePattern],
  ['!~', (value) => not(compilePattern(value))],
  ['>', (value) => (text) => compare(text, value) > 0],
  ['<', (value) => (text) => compare(text, value) < 0],
]);

const not =
  (test: (text: string) => boolean): ReturnType<Test> =>
  (text) =>
    !test(text);

/** In the order of messages. */
export const operatorNames: readonly string[] = [...operators.keys()];

/**
 * Splits at the first operator of two characters, or otherwise at the first `<` or `>`. The rest after a second
 * operator of the same kind is dropped, as in Generic Extractor. Returns `undefined` if there is no operator.
 */
export function parseCondition(text: string): Condition | undefined {
  const [name] = /[><=!]=|~~|!~/.exec(text) ?? /[><]/.exec(text) ?? [];
  const test = operators.get(name ?? '');
  if (name === undefined || test === undefined) return undefined;
  const [path = '', value = ''] = text.split(name);
  return { path, value, passes: test(value) };
}

/**
 * Returns a number below 0, 0 or above 0. Compares numbers if both texts are numbers, otherwise bytes. Integers of any
 * length are exact.
 */
function compare(a: string, b: string): number {
  if (!isNumeric(a) || !isNumeric(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  const [left, right] = isWhole(a) && isWhole(b) ? [BigInt(a), BigInt(b)] : [Number(a), Number(b)];
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

const isNumeric = (text: string): boolean => /^[ \t\n\r\v\f]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text);
const isWhole = (text: string): boolean => /^[ \t\n\r\v\f]*[+-]?\d+$/.test(text);

/**
 * Compiles a pattern that must match the whole text, case-sensitively. `%` matches any characters except line breaks,
 * or none; all others match themselves. docs/12-compatibility.md#filters.
 */
export function compilePattern(pattern: string): (text: string) => boolean {
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
