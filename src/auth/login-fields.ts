/** The keys of `api.authentication` of type `login`, and the keys of every login. docs/03-login.md#all-keys. */

import { coerce, define, unknown } from 'superstruct';
import { type ExactObject, isNumber } from '../core/json/exact.js';
import type { Method } from '../core/model/request.js';
import { expressions } from '../language/expression-fields.js';
import { boolean, endpoint, integer, integerSchema, method, nonEmptyString, oneOf } from '../language/fields.js';
import { withJsonSchema } from '../language/json-schema.js';
import { listOf, objectWith, union } from '../language/object-fields.js';
import type { FieldReference, Fields } from '../language/types.js';
import type { Expires } from './expiry.js';
import { type SharingOptions, sharedField } from './sharing.js';
import type { RejectionRule } from './types.js';

export interface LoginOptions extends RejectionOptions, SharingOptions {
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

export interface RejectionOptions {
  readonly refusedBy?: readonly number[];
  readonly refusedText?: string;
}

/** A response below 400 is a page, unless its text says otherwise. */
const failure = withJsonSchema(
  coerce(
    define<number>('a status from 400 to 599', (value) => typeof value === 'number' && value >= 400 && value <= 599),
    unknown(),
    (value) => {
      const text = isNumber(value) ? value.text : value;
      return typeof text === 'string' && /^\d{3}$/.test(text) ? Number(text) : value;
    },
  ),
  () => ({ ...integerSchema(400, '[45]\\d\\d'), maximum: 599 }),
);

export const rejectionFields: Fields<RejectionOptions> = {
  refusedBy: {
    type: listOf(failure, 'statuses'),
    default: '[401]',
    emptyIsAbsent: true,
    summary: 'statuses that mean that the API rejects the token; replaces the default list',
  },
  refusedText: {
    type: nonEmptyString,
    emptyIsAbsent: true,
    otherwise: 'only `refusedBy` counts',
    summary: 'a text in the first 4 KiB of a response, with any status, that means that the API rejects the token',
  },
};

/** Returns the rejection rule of the options; absent ones have their defaults. */
export const rejectionRule = ({ refusedBy = [401], refusedText }: RejectionOptions): RejectionRule => ({
  statuses: new Set(refusedBy),
  ...(refusedText === undefined ? {} : { text: refusedText }),
});

const loginRequest = (...references: readonly FieldReference[]): Fields<LoginRequestOptions> => ({
  endpoint: {
    type: endpoint,
    summary: 'the URL of the login request, absolute or relative to `baseUrl`',
    required: true,
  },
  method: {
    type: method,
    summary: 'the HTTP method; it determines how the parameters are sent',
    default: 'GET',
    emptyIsAbsent: true,
  },
  params: {
    type: expressions(...references),
    summary: 'parameters of the login request',
    emptyIsAbsent: true,
  },
  headers: { type: expressions(...references), summary: 'headers of the login request', emptyIsAbsent: true },
});

const apiRequest: Fields<ApiRequestOptions> = {
  headers: {
    type: expressions('response', 'attr'),
    summary: 'headers of every request after the login; they replace headers of the same name',
    emptyIsAbsent: true,
  },
  query: {
    type: expressions('response', 'attr'),
    summary: 'query parameters of every request after the login',
    emptyIsAbsent: true,
  },
};

const expiresFields: Fields<Exclude<Expires, number>> = {
  response: { type: nonEmptyString, summary: 'path in the login response to the expiry', required: true },
  relative: { type: boolean, summary: 'whether that value is a number of seconds from now', default: 'false' },
};

/** `references` are those of the login request. */
export const loginFieldsOver = (...references: readonly FieldReference[]): Fields<LoginOptions> => ({
  loginRequest: { type: objectWith(loginRequest(...references)), summary: 'the request that logs in', required: true },
  format: { type: oneOf('json', 'text'), summary: 'the format of the login response', default: 'json' },
  apiRequest: {
    type: objectWith(apiRequest),
    summary: 'what to add to every request after the login',
    emptyIsAbsent: true,
  },
  expires: {
    type: union(integer, objectWith(expiresFields), 'a whole number of seconds, or an object with "response"'),
    otherwise: 'one login for the whole run',
    summary: 'when to log in again: after a number of seconds (0: before every request), or at a time in the response',
    emptyIsAbsent: 'but zero',
  },
  ...rejectionFields,
  shared: sharedField,
});

export const loginFields = loginFieldsOver('attr');
