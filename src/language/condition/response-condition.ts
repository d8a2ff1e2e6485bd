/** A condition on a response: its status, a header, a value of its body. docs/14-any-response.md#conditions. */
import { type Exact, exactAt, isArray, isNumber, isObject } from '../../core/json/exact.js';

/** Statuses from the first to the last, both included. */
export type StatusRange = readonly [first: number, last: number];

/** A text, a number or a boolean. */
export type ScalarValue = Exclude<Exact, null | readonly Exact[] | ReadonlyMap<string, Exact>>;

/** What a value must be: all that is present applies. */
export interface ValueTest {
  readonly equals?: ScalarValue;
  readonly in?: readonly ScalarValue[];
  readonly matches?: RegExp;
  readonly exists?: boolean;
}

/** All that is present must apply. */
export interface ResponseCondition {
  /** Absent: any status. */
  readonly status?: readonly StatusRange[];
  /** A header, its name in lower case, or a path in the body; absent: only the status counts. */
  readonly place?: { readonly header: string } | { readonly segments: readonly string[] };
  readonly test: ValueTest;
}

/** The parts of a response that conditions look at. */
export interface ResponseView {
  readonly status: number;
  /** Takes a name in lower case; undefined: there is none. */
  header(name: string): string | undefined;
  /** Undefined: there is no value at the path. A list or an object may be an empty one. */
  at(segments: readonly string[]): Exact | undefined;
}

/** Whether the response meets the condition. */
export function meets({ status, place, test }: ResponseCondition, response: ResponseView): boolean {
  if (status !== undefined && !includesStatus(status, response.status)) return false;
  if (place === undefined) return true;
  return passes('header' in place ? response.header(place.header) : response.at(place.segments), test);
}

/** Whether one of the ranges includes the status. */
export const includesStatus = (ranges: readonly StatusRange[], status: number): boolean =>
  ranges.some(([first, last]) => status >= first && status <= last);

/** The view of a response whose body was read. Names of `headers` are in lower case. */
export function viewOf(
  status: number,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: Exact | undefined,
): ResponseView {
  return {
    status,
    header(name) {
      const value = headers[name];
      return typeof value === 'string' || value === undefined ? value : value.join(', ');
    },
    at: (segments) => (body === undefined ? undefined : exactAt(body, segments)),
  };
}

/** A null exists no more than a missing value, and meets no other test. */
function passes(value: Exact | undefined, { exists, equals, in: listed, matches }: ValueTest): boolean {
  const isThere = value !== undefined && value !== null;
  if (exists !== undefined && exists !== isThere) return false;
  if (equals !== undefined && !isSame(value, equals)) return false;
  if (listed !== undefined && !listed.some((each) => isSame(value, each))) return false;
  return matches === undefined || (isScalar(value) && matches.test(scalarText(value)));
}

const isScalar = (value: Exact | undefined): value is ScalarValue =>
  value !== undefined && value !== null && !isArray(value) && !isObject(value);

/** Two numbers are the same by value. Otherwise their texts are compared: 0 is "0", and true is "true". */
function isSame(value: Exact | undefined, wanted: ScalarValue): boolean {
  if (!isScalar(value)) return false;
  if (isNumber(value) && isNumber(wanted) && Number(value.text) === Number(wanted.text)) return true;
  return scalarText(value) === scalarText(wanted);
}

const scalarText = (value: ScalarValue): string => (typeof value === 'string' ? value : String(value));
