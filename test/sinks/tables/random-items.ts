/** Random items of the shapes that APIs send, and some that they rarely do. */
import { type Exact, ExactNumber } from '../../../src/core/json/exact.js';

const names = ['id', 'name', 'a', 'b', 'č', 'a b', '"', '\\', "'", 'x'.repeat(70), 'N', ''];
const texts = [
  '',
  'text',
  'č 語 😀',
  'a\tb\nc\r',
  '\\N',
  '\\',
  '"quoted"',
  '\\.',
  '\u0001\u001f\u007f\u2028',
  '12',
  'true',
];
const numbers = [
  '0',
  '-1',
  '9007199254740993',
  '-9223372036854775808',
  '123456789012345678901234567890',
  '0.10',
  '1e3',
];

/** An object with up to five members, three levels deep. `bits` gives whole numbers of 32 bits. */
export function randomItem(bits: () => number): ReadonlyMap<string, Exact> {
  const random = () => bits() / 2 ** 32;
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T; // never empty
  const value = (depth: number): Exact => {
    const kind = Math.floor(random() * (depth > 2 ? 5 : 7));
    if (kind === 0) return null;
    if (kind === 1) return random() < 0.5;
    if (kind === 2) return new ExactNumber(pick(numbers));
    if (kind === 3 || kind === 4) return pick(texts);
    if (kind === 5) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1));
    return object(depth + 1);
  };
  const object = (depth: number): ReadonlyMap<string, Exact> =>
    new Map(Array.from({ length: Math.floor(random() * 6) }, () => [pick(names), value(depth)] as const));
  return object(0);
}
