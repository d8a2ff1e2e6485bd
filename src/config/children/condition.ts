/**
 * One condition of a `recursionFilter`: a path, an operator, and what the value is compared with.
 * docs/12-compatibility.md#filters.
 */
import { patternOf } from './pattern.js';

/** What stands left and right of an operator, and the test that the text of a value has to pass. */
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

/** In the order in which messages list them. */
export const operatorNames: readonly string[] = [...operators.keys()];

/**
 * Splits at the first operator of two characters, or where there is none at the first `<` or `>`. Behind a second one
 * of the same kind the rest is dropped, as the reference does. `undefined`: no operator.
 */
export function conditionOf(text: string): Condition | undefined {
  const [name] = /[><=!]=|~~|!~/.exec(text) ?? /[><]/.exec(text) ?? [];
  const test = operators.get(name ?? '');
  if (name === undefined || test === undefined) return undefined;
  const [path = '', value = ''] = text.split(name);
  return { path, value, passes: test(value) };
}

/**
 * Below 0, 0 or above 0: by number where both texts are numbers, else by their bytes. Whole numbers of any length are
 * exact.
 */
function compare(a: string, b: string): number {
  if (!isNumeric(a) || !isNumeric(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  const [left, right] = isWhole(a) && isWhole(b) ? [BigInt(a), BigInt(b)] : [Number(a), Number(b)];
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

const isNumeric = (text: string): boolean => /^[ \t\n\r\v\f]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text);
const isWhole = (text: string): boolean => /^[ \t\n\r\v\f]*[+-]?\d+$/.test(text);
