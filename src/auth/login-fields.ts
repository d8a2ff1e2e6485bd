/** The keys of `api.authentication` of type `login`. docs/03-login.md#all-keys. */

import type { ExactObject } from '../core/json/exact.js';
import type { Method } from '../core/model/request.js';
import { expressions } from '../language/expression-fields.js';
import { endpoint, method, name, oneOf, truth, wholeNumber } from '../language/fields.js';
import { either, shape } from '../language/object-fields.js';
import type { FieldReference, Fields } from '../language/types.js';
import type { Expires } from './expiry.js';
import { type RefusalOptions, refusalFields } from './refusal-fields.js';
import { type SharingOptions, sharedField } from './sharing.js';

export interface LoginOptions extends RefusalOptions, SharingOptions {
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
  response: { type: name, summary: 'path in the login response to the expiry', required: true },
  relative: { type: truth, summary: 'whether that value is a number of seconds from now', default: 'false' },
};

/** `references` are those of the login request. */
export const loginFieldsOver = (...references: readonly FieldReference[]): Fields<LoginOptions> => ({
  loginRequest: { type: shape(loginRequest(...references)), summary: 'the request that logs in', required: true },
  format: { type: oneOf('json', 'text'), summary: 'the format of the login response', default: 'json' },
  apiRequest: {
    type: shape(apiRequest),
    summary: 'what to add to every request after the login',
    emptyIsAbsent: true,
  },
  expires: {
    type: either(wholeNumber, shape(expiresFields), 'a whole number of seconds, or an object with "response"'),
    otherwise: 'one login for the whole run',
    summary: 'when to log in again: after a number of seconds (0: before every request), or at a time in the response',
    emptyIsAbsent: 'but zero',
  },
  ...refusalFields,
  shared: sharedField,
});

export const loginFields = loginFieldsOver('attr');
