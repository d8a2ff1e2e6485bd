/**
 * One condition of a `recursionFilter`: a path, an operator, and the value to compare with.
 * docs/12-compatibility.md#filters.
 */
import { patternOf } from './pattern.js';

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
  ['~~', patternOf],
  ['!~', (value) => not(patternOf(value))],
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
export function conditionOf(text: string): Condition | undefined {
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
