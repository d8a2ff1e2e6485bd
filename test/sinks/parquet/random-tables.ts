/** Random items that share a shape, as those of an API: members of every kind, often missing, and some that change. */
import { type Exact, ExactNumber } from '../../../src/core/json/exact.js';
import { mulberry32 } from '../../support/mulberry32.js';
import { randomItem } from '../tables/random-items.js';
import { typedTexts } from '../tables/typed-texts.js';

const texts = ['', 'x', 'č 語 😀', 'a\nb"\\', '\u0000', '12', 'true', 'lone \ud800 half', 'y'.repeat(100), '\u2028'];
const names = ['id', 'name', 'a.b', 'č', '"q"', 'N', '', 'a b', 'list', 'element', 'data'];

type Make = (row: number) => Exact;

const digits = (value: bigint | number | string): Exact => new ExactNumber(String(value));

/** The items of a seed. */
export function randomTable(seed: number, count: number): readonly ReadonlyMap<string, Exact>[] {
  const next = mulberry32(seed);
  const below = (most: number) => next() % most;
  const pick = <T>(all: readonly T[]): T => all[below(all.length)] as T; // never empty
  const late = below(count);
  const typed = typedTexts(seed);
  const lists =
    (element: Make): Make =>
    (row) =>
      Array.from({ length: below(4) }, () => element(row));
  const sometimes =
    (make: Make): Make =>
    (row) =>
      below(5) === 0 ? null : make(row);
  const scalars: readonly Make[] = [
    () => below(2) === 0,
    () => digits(below(1000)),
    () => digits(pick([1n, -1n]) * (9_223_372_036_854_775_807n - BigInt(below(3)))),
    () => digits(`${below(10 ** 6)}.${String(below(100)).padStart(2, '0')}`),
    () => digits(`-${below(10 ** 9)}${below(10 ** 9)}.${below(10 ** 9)}`),
    () => digits(BigInt(below(10 ** 9)) ** BigInt(1 + below(4))),
    () => digits(pick(['1e300', '-1.5e-300', '0', '0.1', '1E5', '-0.0'])),
    () => digits(pick(['1e400', '123456789012345678901234567890.12345678901', '5'])),
    () => pick(texts),
    () => `text ${below(50)}`,
    () => typed(),
    (row) => (row < late ? typed() : pick(['2024-01-01T00:00:00+02:00', '2024-02-30', typed()])),
    () => null,
    () => new Map(),
    (row) => (row < late ? digits(below(100)) : pick(texts)),
    (row) => (row < late ? null : digits(below(100))),
    (row) => (row < late ? below(2) === 0 : [digits(row)]),
    () => pick<Make>([() => pick(texts), () => digits('1.50'), () => new Map([['x', digits(1)]])])(0),
  ];
  const make = (depth: number): Make => {
    const kind = below(depth > 3 ? 6 : 10);
    if (kind < 6) return sometimes(pick(scalars));
    return sometimes(kind < 8 ? lists(make(depth + 1)) : object(depth + 1));
  };
  const object = (depth: number): Make => {
    const members = Array.from({ length: below(6) + (depth === 0 ? 2 : 0) }, () => [pick(names), make(depth)] as const);
    return (row) => {
      const given = members.filter(() => below(4) > 0);
      return new Map(given.map(([name, value]) => [name, value(row)]));
    };
  };
  const item = object(0);
  return Array.from({ length: count }, (_, row) => item(row) as ReadonlyMap<string, Exact>);
}

/** Random items: half of the seeds share a shape, the others have none. */
export function itemsOf(seed: number, count: number): readonly Exact[] {
  if (seed % 2 === 0) return randomTable(seed, count);
  const bits = mulberry32(seed);
  return Array.from({ length: count }, () => randomItem(bits));
}
