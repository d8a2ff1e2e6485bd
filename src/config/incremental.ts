/** `incremental` of a job: the value that the next run begins at. docs/13-second-run.md. */
import { type Exact, type ExactNumber, isNumber, isObject, isPhpEmpty, splitPath } from '../core/json/exact.js';
import type { JsonSchema } from '../core/options/json-schema.js';
import { kind, type OptionRows, type OptionsOf } from '../core/options/kind.js';
import { nonEmptyText, word } from '../core/options/kinds.js';
import { listOf } from '../core/options/object-kinds.js';
import { parseDuration } from '../core/options/units.js';
import { defined } from '../core/util/defined.js';
import { distance } from '../incremental/distance.js';
import type { IncrementalConfig, ValueSource } from '../incremental/incremental-config.js';
import type { ConfigPath } from '../language/config-path.js';
import { opaque } from '../language/kinds.js';
import { readObject } from '../language/read.js';

const day = 86_400_000;

const longTime = kind<number>('a time such as "90d"', (value) => typeof value === 'number' && value > 0, {
  fromExact: (value) => (typeof value === 'string' ? (parseDuration(value, 'd') ?? value) : value),
  schema: {
    type: 'string',
    pattern: '^(?=.*[1-9])(\\d+|(?=\\d)(\\d+d)?(\\d+h)?(\\d+m)?(\\d+s)?(\\d+ms)?)$',
  },
});

const initial = kind<string | ExactNumber>(
  'a non-empty string or a number',
  (value) => (typeof value === 'string' && value !== '') || isNumber(value),
  { schema: { type: ['string', 'number'], minLength: 1 } },
);

/** The keys of `incremental`. */
export const incrementalFields = {
  path: {
    kind: nonEmptyText,
    excludes: ['response', 'header'],
    summary: 'path in each item to its value: the highest one is remembered',
  },
  response: {
    kind: nonEmptyText,
    excludes: ['header'],
    summary: 'path in each response to a value, such as a token: the last one is remembered',
  },
  header: { kind: nonEmptyText, summary: 'response header with the value: the last one is remembered' },
  param: {
    kind: nonEmptyText,
    summary: 'the parameter that carries the value',
    otherwise: '`{ "incremental": "value" }`, or `{incremental}` in the endpoint, carries it',
  },
  until: { kind: nonEmptyText, summary: 'the parameter that carries the end of a backfill (`--until`)' },
  initial: {
    kind: initial,
    summary: 'the value of the first run',
    otherwise: 'the first run sends no `param`',
  },
  lookback: {
    kind: distance,
    otherwise: 'none',
    summary: 'how far before the value the next run begins: a time such as "15m", or a number',
  },
  lag: {
    kind: distance,
    otherwise: 'none',
    summary: 'how old items must be: newer ones are left to the next run',
  },
  order: {
    kind: word('asc'),
    otherwise: 'any order',
    summary: '`asc`: items come in ascending order, so that a run that a limit ends still advances',
  },
  compare: {
    kind: word('number', 'date', 'text'),
    otherwise: 'as the first value looks',
    summary: 'how values are compared',
  },
  by: {
    kind: listOf(nonEmptyText, 'placeholders'),
    otherwise: 'all placeholders of the child job',
    summary: 'for a child: the placeholders that name its parent, for which a value of its own is remembered',
  },
  forgetAfter: {
    kind: longTime,
    default: 90 * day,
    otherwise: '90d',
    summary: 'for a child: how long the value of a parent that is gone is remembered',
  },
} satisfies OptionRows;

const ofItems = ['until', 'lookback', 'lag', 'order', 'compare'] as const;

const present = (key: string): JsonSchema => ({ required: [key], properties: { [key]: { type: 'string' } } });

const absent = (...keys: readonly string[]): JsonSchema => ({
  properties: Object.fromEntries(keys.map((key) => [key, { type: 'null' }])),
});

/** Each has its value in one place. */
const places: readonly JsonSchema[] = [
  { allOf: [present('path'), absent('response', 'header')] },
  { allOf: [present('response'), absent('path', 'header', ...ofItems)] },
  { allOf: [present('header'), absent('path', 'response', ...ofItems)] },
];

/** The kind of `incremental`. */
export const incrementalType = opaque(
  'an object with "path", "response" or "header"',
  (write) => ({ ...write.members(incrementalFields), anyOf: places }),
  { rows: incrementalFields },
);

type IncrementalOptions = OptionsOf<typeof incrementalFields>;

/** Returns `undefined` if the job has no such key, or if something does not fit, after reporting it to `place`. */
export function readIncremental(place: ConfigPath, value: Exact = null): IncrementalConfig | undefined {
  if (isPhpEmpty(value)) return undefined;
  const options = readObject(place, value, incrementalFields);
  if (options === undefined) return undefined;
  const source = sourceOf(options);
  if (source === undefined) {
    place.problem('expected one of "path", "response" and "header"');
    return undefined;
  }
  for (const key of ofItems) {
    if (source.kind !== 'path' && options[key] !== undefined) {
      place.at(key).problem('needs "path": only values of items have an order');
    }
  }
  const { param, until, initial: first, lookback, lag, compare, by, forgetAfter } = options;
  const given = { param, until, initial: first, lookback, lag, compare, by };
  return { source, isAscending: options.order === 'asc', forgetAfter, ...defined(given) };
}

function sourceOf({ path, response, header }: IncrementalOptions): ValueSource | undefined {
  if (path !== undefined) return { kind: 'path', text: path, segments: splitPath(path) };
  if (response !== undefined) return { kind: 'response', text: response, segments: segmentsOf(response) };
  return header === undefined ? undefined : { kind: 'header', text: header.toLowerCase() };
}

/** A name such as `@odata.deltaLink` is one member. */
const segmentsOf = (path: string): readonly string[] => (path.startsWith('@') ? [path] : splitPath(path));

/** Whether the value of an `incremental` key is written. */
export const hasIncremental = (value: Exact | undefined): boolean => isObject(value) && value.size > 0;
