/** Reads a condition on a response. docs/14-any-response.md#conditions. */
import { type Exact, isNumber, isObject, splitPath } from '../../core/json/exact.js';
import { kind, type OptionRows, type OptionsOf } from '../../core/options/kind.js';
import { listOf, oneOrList } from '../../core/options/object-kinds.js';
import { defined } from '../../core/util/defined.js';
import type { ConfigPath } from '../config-path.js';
import { boolean, nonEmptyStringOrPath } from '../kinds.js';
import { readStrictly } from '../read-strictly.js';
import type { ResponseCondition, ScalarValue, StatusRange } from './response-condition.js';

const statusPattern = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/;

function rangeOf(text: string): StatusRange | undefined {
  const [, first, last = first] = statusPattern.exec(text) ?? [];
  return first === undefined || Number(first) > Number(last) ? undefined : [Number(first), Number(last)];
}

const statuses = kind<string>(
  'a status such as 404, or a range such as "200-299"',
  (value) => typeof value === 'string' && rangeOf(value) !== undefined,
  {
    fromExact: (value) => (isNumber(value) ? value.text : value),
    schema: {
      anyOf: [
        { type: 'integer', minimum: 100, maximum: 599 },
        { type: 'string', pattern: statusPattern.source },
      ],
    },
  },
);

const scalar = kind<ScalarValue>(
  'a string, a number, true or false',
  (value) => typeof value === 'string' || typeof value === 'boolean' || isNumber(value),
  { schema: { type: ['string', 'number', 'boolean'] } },
);

const pattern = kind<string>(
  'a regular expression, or one between slashes such as "/^fail/i"',
  (value) => typeof value === 'string' && value !== '' && expressionOf(value) !== undefined,
  { schema: { type: 'string', minLength: 1 } },
);

/** `/text/i` ignores case; undefined: it is no regular expression. */
function expressionOf(text: string): RegExp | undefined {
  const [, source = text, flags = ''] = /^\/(.+)\/(i?)$/s.exec(text) ?? [];
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}

/** The keys of a condition. */
export const conditionFields = {
  status: {
    kind: oneOrList(statuses, 'statuses'),
    otherwise: 'any status',
    summary: 'the status of the response: a number, a range such as `"200-299"`, or a list of these',
  },
  path: {
    kind: nonEmptyStringOrPath,
    excludes: ['header'],
    summary: 'the path of a value outside the items, such as `error.code`, or a list of names',
  },
  header: {
    kind: kind<string>('the name of a header', (value) => typeof value === 'string' && value !== '', {
      schema: { type: 'string', minLength: 1 },
    }),
    summary: 'the name of a header of the response, instead of a path',
  },
  equals: { kind: scalar, summary: 'the value; 0 equals "0", and true equals "true"' },
  in: { kind: listOf(scalar, 'values'), summary: 'one of these values' },
  matches: {
    kind: pattern,
    summary: 'a regular expression that the value matches; `"/^fail/i"` ignores case',
  },
  exists: { kind: boolean, summary: 'whether there is a value other than null' },
} satisfies OptionRows;

const tests = ['equals', 'in', 'matches', 'exists'] as const;

/**
 * Reads a condition. Returns `undefined` if it does not fit, after reporting it to `place`: an unknown key is a
 * problem, because the condition would apply to more responses than intended.
 */
export function readCondition(place: ConfigPath, value: Exact): ResponseCondition | undefined {
  const options = readStrictly(place, value, conditionFields);
  return options === undefined || !isMeaningful(place, value, options) ? undefined : conditionOf(options);
}

type ConditionOptions = OptionsOf<typeof conditionFields>;

function isMeaningful(place: ConfigPath, value: Exact, options: ConditionOptions): boolean {
  const { status, path, header } = options;
  const given = tests.find((each) => options[each] !== undefined);
  const hasPlace = path !== undefined || header !== undefined;
  if (isObject(value) && status === undefined && !hasPlace && given === undefined) {
    place.problem('expected at least one of "status", "path", "header"');
    return false;
  }
  if (hasPlace && given === undefined) {
    place.at(path === undefined ? 'header' : 'path').problem('has no test: add "equals", "in", "matches" or "exists"');
    return false;
  }
  if (given === undefined || hasPlace) return true;
  place.at(given).problem('has no value to test: add "path" or "header"');
  return false;
}

function conditionOf(options: ConditionOptions): ResponseCondition {
  const { status, path, header, equals, in: listed, matches, exists } = options;
  const ranges = status === undefined ? undefined : (typeof status === 'string' ? [status] : status).flatMap(inRange);
  const segments = typeof path === 'string' ? splitPath(path) : path;
  const place = header !== undefined ? { header: header.toLowerCase() } : segments && { segments };
  const test = defined({
    equals,
    in: listed,
    matches: matches === undefined ? undefined : expressionOf(matches),
    exists,
  });
  return { ...defined({ status: ranges, place }), test };
}

function inRange(text: string): readonly StatusRange[] {
  const range = rangeOf(text);
  return range === undefined ? [] : [range];
}
