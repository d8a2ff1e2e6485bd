/** `api.http.rateLimit`: how often requests may be sent, as texts such as `10/s`. */
import type { Rate } from '../../operators/window-log.js';
import type { Exact } from '../core/json/exact.js';
import { kind, refine } from '../core/options/kind.js';
import { listOf } from '../core/options/object-kinds.js';
import type { ConfigPath } from '../language/config-path.js';
import { opaque } from '../language/kinds.js';
import { isPhpEmpty, readValue } from '../language/read.js';

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  day: 86_400_000,
};

const form = /^0*([1-9]\d{0,9})\/(0*[1-9]\d{0,4})?(s|min|m|h|day|d)$/;

/** The same without upper bounds. */
const unbounded = /^0*[1-9]\d*\/(?:0*[1-9]\d*)?(?:s|min|m|h|day|d)$/;

const rateSchema = { type: 'string', pattern: form.source };

const rate = refine(
  kind<string>(
    'a rate such as "10/s", "100/15m", "2000/h" or "5000/day"',
    (value) => typeof value === 'string' && unbounded.test(value),
    { schema: rateSchema },
  ),
  'a rate of at most 9999999999 requests in at most 99999 time units',
  (value) => form.test(value),
  rateSchema,
);
const rates = listOf(rate, 'rates');

/** One rate or several; the reader checks them. */
export const rateLimit = opaque('a rate such as "10/s", or a list of rates', (write) => ({
  ...write.of(rate),
  type: ['string', 'array'],
  items: write.of(rate),
}));

/** Returns `undefined` if something does not fit, after reporting it to `place`. */
export function readRateLimit(place: ConfigPath, value: Exact = null): readonly Rate[] | undefined {
  if (isPhpEmpty(value)) return [];
  const texts: readonly string[] | undefined = Array.isArray(value)
    ? readValue(place, value, rates)
    : wrapped(readValue(place, value, rate));
  return texts?.map(parseRate);
}

const wrapped = (text: string | undefined): readonly string[] | undefined => (text === undefined ? undefined : [text]);

function parseRate(text: string): Rate {
  const [, most, times = 1, unit = ''] = form.exec(text) ?? [];
  return { most: Number(most), ms: Number(times) * (units[unit] ?? Number.NaN) };
}
