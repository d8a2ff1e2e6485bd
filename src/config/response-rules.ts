/** Reads `responseRules` of the API and of jobs. docs/14-any-response.md#rules. */
import { type Exact, isObject, splitPath } from '../core/json/exact.js';
import type { OptionRows, OptionsOf } from '../core/options/kind.js';
import { nonEmptyText, whole, word } from '../core/options/kinds.js';
import { listOf, objectOf } from '../core/options/object-kinds.js';
import { combineList, defined } from '../core/util/defined.js';
import { conditionFields, readCondition } from '../language/condition/read-condition.js';
import type { ResponsePlace, ResponseRule } from '../language/condition/response-rule.js';
import type { ConfigPath } from '../language/config-path.js';
import { nonEmptyStringOrPath } from '../language/kinds.js';
import { describeMismatch, isPhpEmpty, listEntries } from '../language/read.js';
import { readStrictly } from '../language/read-strictly.js';

const placeFields = {
  path: { kind: nonEmptyStringOrPath, excludes: ['header'], summary: 'the path of the value, or a list of names' },
  header: { kind: nonEmptyText, summary: 'the name of a header' },
} satisfies OptionRows;

const waitFields = {
  path: {
    kind: nonEmptyStringOrPath,
    excludes: ['header', 'seconds'],
    summary: 'the path of the time: seconds, a Unix timestamp, or an HTTP date',
  },
  header: { kind: nonEmptyText, excludes: ['seconds'], summary: 'the header that has the time' },
  seconds: { kind: whole(1), summary: 'a number of seconds' },
} satisfies OptionRows;

/** The keys of a rule. */
export const ruleFields = {
  when: { kind: objectOf(conditionFields), required: true, summary: 'the condition: all of its keys must apply' },
  // biome-ignore lint/suspicious/noThenProperty: the key of the configuration; no rule is awaited.
  then: {
    kind: word('fail', 'retry', 'end', 'skip', 'wait', 'login'),
    required: true,
    summary: 'what becomes of the page',
  },
  wait: {
    kind: objectOf(waitFields),
    otherwise: 'as `retryConfig` says',
    summary: 'with `wait` and `retry`: how long to wait before the request is sent again',
  },
  message: { kind: objectOf(placeFields), summary: 'where the response has a text for the message' },
} satisfies OptionRows;

/** Describes `responseRules`; `readResponseRules` reads it. */
export const responseRulesKind = listOf(objectOf(ruleFields), 'rules');

/** Returns `undefined` if something does not fit, after reporting it to `place`. */
export function readResponseRules(place: ConfigPath, value: Exact = null): readonly ResponseRule[] | undefined {
  if (isPhpEmpty(value)) return [];
  const listed = listEntries(value);
  if (listed !== undefined) return combineList(listed.map(([step, each]) => readRule(place.at(step), each)));
  place.problem(describeMismatch(responseRulesKind.struct.type, value));
  return undefined;
}

function readRule(place: ConfigPath, value: Exact): ResponseRule | undefined {
  const options = readStrictly(place, value, ruleFields);
  if (!isObject(value)) return undefined;
  const when = readCondition(place.at('when'), value.get('when') ?? null);
  const wait = readPlace(place.at('wait'), value.get('wait'), waitFields);
  const message = readPlace(place.at('message'), value.get('message'), placeFields);
  if (options === undefined || when === undefined || wait === null || message === null) return undefined;
  if (!fits(place, options)) return undefined;
  const seconds = options.wait?.seconds;
  const waits = seconds === undefined ? wait && placeOf(wait) : { seconds };
  return {
    when,
    action: options.then,
    path: place.path,
    ...defined({ wait: waits, message: message && placeOf(message) }),
  };
}

type PlaceOptions = OptionsOf<typeof placeFields>;

/** Undefined: absent; null: it does not fit, and was reported. */
function readPlace(place: ConfigPath, value: Exact = null, rows: typeof placeFields): PlaceOptions | undefined | null {
  if (value === null) return undefined;
  const options = readStrictly(place, value, rows);
  if (options === undefined) return null;
  if (Object.keys(options).length > 0) return options;
  place.problem(
    `expected one of ${Object.keys(rows)
      .map((each) => `"${each}"`)
      .join(', ')}`,
  );
  return null;
}

function fits(place: ConfigPath, { then, wait }: OptionsOf<typeof ruleFields>): boolean {
  const isWaiting = then === 'wait' || then === 'retry';
  if (wait !== undefined && !isWaiting) place.at('wait').problem(`only for "then": "wait" and "retry", not "${then}"`);
  if (wait === undefined && then === 'wait')
    place.at('wait').problem('required: expected an object with "path", "header" or "seconds"');
  return wait === undefined ? then !== 'wait' : isWaiting;
}

function placeOf({ path, header = '' }: PlaceOptions): ResponsePlace {
  if (path === undefined) return { header: header.toLowerCase() };
  return { segments: typeof path === 'string' ? splitPath(path) : path };
}
