/** The keys of `api.authentication` of type `login`, as they are validated and described. Seed 2.1. */
import { Struct } from 'superstruct';
import type { Fields } from '../component.js';
import { type ExactObject, isArray, isNumber } from '../exact.js';
import type { Expires } from '../expiry.js';
import { type AnyStruct, expressions, flag, method, name, oneOf, shape, wholeNumber } from '../fields.js';
import type { Method } from '../types.js';

export interface LoginOptions {
  readonly loginRequest: LoginRequestOptions;
  readonly format?: 'json' | 'text';
  readonly apiRequest?: ApiRequestOptions;
  readonly expires?: Expires;
}

export interface LoginRequestOptions {
  readonly endpoint: string;
  readonly method?: Method;
  readonly params?: ExactObject;
  readonly headers?: ExactObject;
}

export interface ApiRequestOptions {
  readonly headers?: ExactObject;
  readonly query?: ExactObject;
}

const loginRequest: Fields<LoginRequestOptions> = {
  endpoint: { type: name, summary: 'where the login request goes; may lie at another address', required: true },
  method: { type: method, summary: 'the HTTP method; it decides how the parameters are sent', default: 'GET' },
  params: { type: expressions('attr'), summary: 'parameters; values may be expressions with `attr`' },
  headers: { type: expressions('attr'), summary: 'headers; values may be expressions with `attr`' },
};

const apiRequest: Fields<ApiRequestOptions> = {
  headers: {
    type: expressions('response', 'attr'),
    summary: 'headers of every later request; expressions with `response` and `attr`',
  },
  query: {
    type: expressions('response', 'attr'),
    summary: 'query parameters of every later request; expressions with `response` and `attr`',
  },
};

const expiresFields: Fields<Exclude<Expires, number>> = {
  response: { type: name, summary: 'path in the login reply to the expiry', required: true },
  relative: { type: flag, summary: 'whether that value is a number of seconds from now on', default: 'false' },
};

/** Seconds, or an object with members of its own: which of the two is told by what was written. */
function secondsOr<T>(members: Struct<T, unknown>): Struct<number | T, unknown> {
  const choose = (value: unknown): AnyStruct => (isComposite(value) ? members : wholeNumber);
  return new Struct<number | T, unknown>({
    type: 'a whole number of seconds, or an object with "response"',
    schema: members.schema,
    coercer: (value, context) => choose(value).coercer(value, context),
    validator: (value, context) => [...choose(value).validator(value, context)].length === 0,
    entries: (value, context) => choose(value).entries(value, context),
  });
}

/** A map as it was written, or what the members made of it. */
const isComposite = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !isArray(value) && !isNumber(value);

export const loginFields: Fields<LoginOptions> = {
  loginRequest: { type: shape(loginRequest), summary: 'the request that logs in', required: true },
  format: { type: oneOf('json', 'text'), summary: 'what the reply to the login is', default: 'json' },
  apiRequest: { type: shape(apiRequest), summary: 'what of the reply goes into every later request' },
  expires: {
    type: secondsOr(shape(expiresFields)),
    summary: 'when to log in again: after so many seconds (0: before every request), or at a time in the reply',
  },
};
