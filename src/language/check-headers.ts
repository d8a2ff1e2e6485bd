/**
 * Checks headers of a configuration: valid names and values, and expressions only where they are evaluated.
 * docs/12-compatibility.md#headers.
 */
import { type Exact, type ExactObject, isArray, isObject } from '../core/json/exact.js';
import { describeKind } from '../core/options/read-options.js';
import { isHarmless } from '../core/secrets/known-secrets.js';
import { headerName, headerValue } from '../core/url/headers.js';
import { checkExpression, isExpression, type Scope } from './check-expressions.js';
import type { ConfigPath } from './config-path.js';

const single = 'a string, a number, true, false or null';

/** Checks headers that are sent as written. */
export function checkLiteralHeaders(place: ConfigPath, headers: ExactObject): void {
  for (const [name, value] of headers) {
    checkName(place.at(name), name);
    checkLiteral(place.at(name), value, `${single}, or a list of these`);
  }
}

/** Checks headers whose values may be expressions. A list is not evaluated, so its elements are literal. */
export function checkExpressionHeaders(place: ConfigPath, headers: ExactObject, scope: Scope): void {
  for (const [name, value] of headers) {
    checkName(place.at(name), name);
    const within: Scope = isHarmless(name) ? scope : { ...scope, empty: 'warn' };
    if (isObject(value) && isExpression(value, scope)) checkExpression(place.at(name), value, within);
    else checkLiteral(place.at(name), value, `an expression, ${single}, or a list of these`);
  }
}

function checkLiteral(place: ConfigPath, value: Exact, expected: string): void {
  if (isArray(value)) {
    for (const [index, each] of value.entries()) checkSingle(place.at(index), each, single);
  } else checkSingle(place, value, expected);
}

function checkSingle(place: ConfigPath, value: Exact, expected: string): void {
  if (isArray(value) || isObject(value)) place.problem(`expected ${expected}, found ${describeKind(value)}`);
  else if (typeof value === 'string' && !headerValue.test(value.trim()))
    place.problem('contains a character that is not allowed in a header');
}

function checkName(place: ConfigPath, name: string): void {
  if (!headerName.test(name)) place.problem('not a valid header name');
}
