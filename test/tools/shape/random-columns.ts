/** Random items whose members have values of few kinds, as texts of JSON: the types of their columns differ widely. */
import { createRandom, type Random } from '../../fuzz/random.js';

type Value = (random: Random) => string;

const digits = (random: Random, count: number) => Array.from({ length: count }, () => random.int(10)).join('');
const whole = (random: Random, count: number) => `${1 + random.int(9)}${digits(random, count - 1)}`;
const two = (number: number) => String(number).padStart(2, '0');
const day = (random: Random) => `${1900 + random.int(200)}-${two(1 + random.int(12))}-${two(1 + random.int(31))}`;
const clock = (random: Random) => `${two(random.int(24))}:${two(random.int(60))}:${two(random.int(60))}`;
const uuid = (random: Random) => [8, 4, 4, 4, 12].map((count) => digits(random, count)).join('-');
const text =
  (value: Value): Value =>
  (random) =>
    JSON.stringify(value(random));

const kinds: readonly [Value, ...Value[]] = [
  () => 'true',
  (random) => String(random.int(1000)),
  (random) => `-${whole(random, 17 + random.int(3))}`,
  (random) => whole(random, 20 + random.int(25)),
  (random) => `${random.int(1000)}.${digits(random, 2)}`,
  (random) => `${random.int(1000)}.${digits(random, 1 + random.int(12))}`,
  (random) => String((1 + random.int(9999)) / 7),
  (random) => `${1 + random.int(9)}.${digits(random, 30)}`,
  (random) => `${1 + random.int(9)}e${random.int(60) - 20}`,
  () => '1e308',
  text((random) => `text ${random.int(5)}`),
  text(() => ''),
  text(day),
  text((random) => `${day(random)}T${clock(random)}`),
  text((random) => `${day(random)} ${clock(random)}.${digits(random, 3)}`),
  text((random) => `${day(random)}T${clock(random)}Z`),
  text((random) => `${day(random)}T${clock(random)}.${digits(random, 6)}+00:00`),
  text((random) => `${day(random)}T${clock(random)}+02:00`),
  text((random) => `${day(random)}t${clock(random)}z`),
  text(uuid),
  text((random) => `a${uuid(random).slice(1)}`),
  text((random) => `A${uuid(random).slice(1)}`),
  () => '[]',
  (random) => `[${random.int(9)},"x"]`,
  () => '{}',
  (random) => `{"x":${random.int(9)}}`,
  (random) => `{"y":${JSON.stringify(day(random))},"z":null}`,
  () => 'null',
];

/** Up to 30 items with up to eight members. A member has values of one kind, rarely of more. */
export function randomColumns(seed: number): readonly string[] {
  const random = createRandom(seed);
  const members = Array.from({ length: random.int(9) }, (_, index) => ({
    name: `m${index}`,
    values: Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, () => random.pick(kinds)),
    isRare: random.int(3) === 0,
  }));
  return Array.from({ length: 1 + random.int(30) }, () => {
    const own = members.filter(({ isRare }) => !isRare || random.int(4) === 0);
    const written = own.map(({ name, values: [first = () => 'null', ...others] }) => {
      const value = random.pick([first, ...others]);
      return `"${name}":${value(random)}`;
    });
    return `{${written.join(',')}}`;
  });
}
