/** Reads `onError` of a job: what becomes of a request that fails. docs/04-child-jobs.md#when-a-child-fails. */
import { type Exact, isObject } from '../core/json/exact.js';
import { objectOr } from '../core/options/json-schema.js';
import { whole } from '../core/options/kinds.js';
import type { ConfigPath } from '../language/config-path.js';
import { opaque } from '../language/kinds.js';
import { describeMismatch, isPhpEmpty, readValue } from '../language/read.js';

/** A request that fails ends the run, is left out, or is left out and becomes a dead letter. */
export type ErrorChoice = (typeof choices)[number];

/** What becomes of requests that fail. */
export interface ErrorRule {
  readonly statuses: ReadonlyMap<number, ErrorChoice>;
  /** All other failures. */
  readonly others: ErrorChoice;
  /** More of them fail the run. */
  readonly max: number;
}

const choices = ['skip', 'dead-letter', 'fail'] as const;
const choice = '"skip", "dead-letter" or "fail"';
const statusPattern = /^[45]\d\d$/;

export const onErrorType = opaque(`${choice}, or an object of statuses`, (write) => {
  const word = { enum: [...choices] };
  const member = { anyOf: [word, write.of(whole(0))] };
  const names = { type: 'string', pattern: '^(?:[45]\\d\\d|default|max)$' };
  const shape = { type: 'object', propertyNames: names, additionalProperties: member };
  return { ...objectOr(shape, word), examples: ['skip', { 404: 'skip', max: 100 }, { 404: 'dead-letter' }] };
});

/** `undefined`: there is no rule; null: it does not fit, and was reported to `place`. */
export function readOnError(place: ConfigPath, value: Exact = null): ErrorRule | undefined | null {
  if (isPhpEmpty(value)) return undefined;
  if (!isObject(value)) {
    const others = readChoice(place, value);
    return others === undefined ? null : { statuses: new Map(), others, max: Number.POSITIVE_INFINITY };
  }
  const statuses = new Map<number, ErrorChoice>();
  let others: ErrorChoice = 'fail';
  let [max, fits] = [Number.POSITIVE_INFINITY, true];
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

function readMember(place: ConfigPath, key: string, value: Exact): ErrorChoice | undefined {
  if (key === 'default' || statusPattern.test(key)) return readChoice(place, value);
  place.problem('expected a status from 400 to 599, "default" or "max"');
  return undefined;
}

function readChoice(place: ConfigPath, value: Exact): ErrorChoice | undefined {
  const found = choices.find((each) => each === value);
  if (found !== undefined) return found;
  place.problem(describeMismatch(choice, value));
  return undefined;
}

/** Whether some failed request becomes a dead letter. */
export const makesLetters = ({ statuses, others }: ErrorRule): boolean =>
  others === 'dead-letter' || [...statuses.values()].includes('dead-letter');
