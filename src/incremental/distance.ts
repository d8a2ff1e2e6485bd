/** Distances between values: a look-back, a lag, and how late an item was. */
import { ExtractError } from '../core/errors/errors.js';
import { ExactNumber, isNumber } from '../core/json/exact.js';
import { kind } from '../core/options/kind.js';
import { parseDuration } from '../core/options/units.js';
import { dateIn } from '../language/date/formed-date.js';
import { numberOfRank, type OrderedValue, orderedValue, rankDigits } from './ordered-value.js';

/** A time in ms, or a number in the unit of the values. `text`: as it is written. */
export interface Distance {
  readonly text: string;
  readonly ms?: number;
}

const written = '^(\\d+(\\.\\d+)?([eE][-+]?\\d{1,3})?|(?=\\d)(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?(\\d+ms)?)$';

/** A time such as `15m`, or a number from 0 up. */
export const distance = kind<Distance>('a time such as "15m" or "1h30m", or a number from 0 up', isDistance, {
  fromExact: distanceOf,
  schema: {
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'string', pattern: written },
    ],
  },
});

function isDistance(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !isNumber(value) && 'text' in value;
}

function distanceOf(value: unknown): unknown {
  if (isNumber(value)) return Number(value.text) >= 0 ? { text: value.text } : value;
  return typeof value === 'string' ? (distanceIn(value) ?? value) : value;
}

function distanceIn(text: string): Distance | undefined {
  if (!text.startsWith('-') && orderedValue(text, 'number') !== undefined) return { text };
  const ms = parseDuration(text, 's');
  return ms === undefined ? undefined : { text, ms };
}

const perSecond = 10n ** BigInt(rankDigits);

/** The smallest Unix time in seconds that is taken for one: in March 1973. Then in ms, microseconds and nanoseconds. */
const unixUnits = [
  { from: 100_000_000n, perSecond: 1n },
  { from: 100_000_000_000n, perSecond: 1000n },
  { from: 100_000_000_000_000n, perSecond: 1_000_000n },
  { from: 100_000_000_000_000_000n, perSecond: 1_000_000_000n },
];

/** How many units of a number are a second; undefined: it is no Unix time. */
const unitOf = ({ rank }: OrderedValue): bigint | undefined =>
  unixUnits.findLast(({ from }) => rank >= from * perSecond)?.perSecond;

/** The rank of a distance from this value. Throws ERR_INCREMENTAL if the value has no such distance. */
export function rankOf({ text, ms }: Distance, value: OrderedValue): bigint {
  if (value.order === 'text') throw unmeasured(text, 'texts have no distance: set `compare`, or remove it');
  const unit = value.order === 'date' ? 1n : unitOf(value);
  if (ms === undefined) return orderedValue(text, 'number')?.rank ?? 0n;
  if (unit === undefined) throw unmeasured(text, 'the values are no dates and no Unix times: write a number');
  return (BigInt(Math.round(ms)) * perSecond * unit) / 1000n;
}

const unmeasured = (text: string, why: string): ExtractError =>
  new ExtractError('ERR_INCREMENTAL', `"${text}" cannot be subtracted: ${why}`);

/** The value less the distance, in the form of the value. Throws ERR_INCREMENTAL as `rankOf`. */
export function lessBy(value: OrderedValue, by: Distance): string | ExactNumber {
  const text = String(value.sent);
  const rank = value.rank - rankOf(by, value);
  if (value.order === 'date') return dateIn(text)?.write(rank) ?? text;
  const decimals = /\.(\d+)$/.exec(text)?.[1]?.length ?? 0;
  const number = numberOfRank(rank, decimals);
  return isNumber(value.sent) ? new ExactNumber(number) : number;
}

/** The rank of a moment in the unit of the value; undefined: it is neither a date nor a Unix time. */
export function rankOfMoment(ms: number, value: OrderedValue): bigint | undefined {
  const unit = value.order === 'date' ? 1n : value.order === 'number' ? unitOf(value) : undefined;
  return unit === undefined ? undefined : (BigInt(Math.floor(ms)) * perSecond * unit) / 1000n;
}

/** The moment of a value in epoch ms, rounded down; undefined: it is neither a date nor a Unix time. */
export function momentOf(value: OrderedValue): number | undefined {
  const unit = value.order === 'date' ? 1n : value.order === 'number' ? unitOf(value) : undefined;
  return unit === undefined ? undefined : Number(numberOfRank((value.rank * 1000n) / unit, 0));
}

/** How far `earlier` is before `later`, in words that a look-back takes; undefined for texts. */
export function writtenDistance(earlier: OrderedValue, later: OrderedValue): string | undefined {
  if (later.order === 'text') return undefined;
  const unit = later.order === 'date' ? 1n : unitOf(later);
  const rank = later.rank - earlier.rank;
  if (unit === undefined) return numberOfRank(rank, 0);
  return writtenSeconds(Number((rank + perSecond * unit - 1n) / (perSecond * unit)));
}

/** Rounded up to the second. */
function writtenSeconds(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ] as const;
  let left = seconds;
  const parts = units.map(([name, size]) => {
    const count = Math.floor(left / size);
    left -= count * size;
    return count === 0 ? '' : `${count}${name}`;
  });
  return parts.join('') || '0s';
}
