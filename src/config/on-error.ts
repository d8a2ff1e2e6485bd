/** Reads `onError` of a job: what becomes of a request that fails. docs/04-child-jobs.md#when-a-child-fails. */
import { type Exact, isObject } from '../core/json/exact.js';
import { objectOr } from '../core/options/json-schema.js';
import { whole } from '../core/options/kinds.js';
import type { ConfigPath } from '../language/config-path.js';
import { opaque } from '../language/kinds.js';
import { describeMismatch, isPhpEmpty, readValue } from '../language/read.js';

/** Which failed requests are left out. */
export interface ErrorRule {
  /** By status; true: it is left out. */
  readonly statuses: ReadonlyMap<number, boolean>;
  /** All other failures. */
  readonly others: boolean;
  /** More of them fail the run. */
  readonly max: number;
}

const choice = '"skip" or "fail"';
const statusPattern = /^[45]\d\d$/;

export const onErrorType = opaque(`${choice}, or an object of statuses`, (write) => {
  const word = { enum: ['skip', 'fail'] };
  const member = { anyOf: [word, write.of(whole(0))] };
  const names = { type: 'string', pattern: '^(?:[45]\\d\\d|default|max)$' };
  const shape = { type: 'object', propertyNames: names, additionalProperties: member };
  return { ...objectOr(shape, word), examples: ['skip', { 404: 'skip', max: 100 }] };
});

/** `undefined`: there is no rule; null: it does not fit, and was reported to `place`. */
export function readOnError(place: ConfigPath, value: Exact = null): ErrorRule | undefined | null {
  if (isPhpEmpty(value)) return undefined;
  if (!isObject(value)) {
    const isSkip = readChoice(place, value);
    return isSkip === undefined ? null : { statuses: new Map(), others: isSkip, max: Number.POSITIVE_INFINITY };
  }
  const statuses = new Map<number, boolean>();
  let [others, max, fits] = [false, Number.POSITIVE_INFINITY, true];
  for (const [key, member] of value) {
    const at = place.at(key);
    const read = key === 'max' ? readValue(at, member, whole(0)) : readMember(at, key, member);
    if (read === undefined) fits = false;
    else if (typeof read === 'number') max = read;
    else if (key === 'default') others = read;
    else statuses.set(Number(key), read);
  }
  return fits ? { statuses, others, max } : null;
}

function readMember(place: ConfigPath, key: string, value: Exact): boolean | undefined {
  if (key === 'default' || statusPattern.test(key)) return readChoice(place, value);
  place.problem('expected a status from 400 to 599, "default" or "max"');
  return undefined;
}

function readChoice(place: ConfigPath, value: Exact): boolean | undefined {
  if (value === 'skip' || value === 'fail') return value === 'skip';
  place.problem(describeMismatch(choice, value));
  return undefined;
}
