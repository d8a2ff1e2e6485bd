/** The keys of `api.authentication` of type `login`, and the keys of every login. docs/02-login.md#all-keys. */

import { emptyObject } from '../core/json/exact.js';
import type { FieldReference } from '../core/model/field-reference.js';
import type { OptionRows, OptionsOf } from '../core/options/kind.js';
import { nonEmptyText, whole, word } from '../core/options/kinds.js';
import { defaultsOf, listOf, objectOf, union } from '../core/options/object-kinds.js';
import { expressions } from '../language/expression-kinds.js';
import { boolean, endpoint, method } from '../language/kinds.js';
import { sharingFields } from './sharing.js';
import type { RejectionRule } from './types.js';

/** A response below 400 is a page, unless its text says otherwise. */
const failure = whole(400, 599, { name: 'a status', digits: '[45]\\d\\d' });

export const rejectionFields = {
  refusedBy: {
    kind: listOf(failure, 'statuses'),
    default: [401],
    emptyIsAbsent: true,
    mayChangeOnResume: true,
    summary: 'statuses that mean that the API rejects the token; replaces the default list',
  },
  refusedText: {
    kind: nonEmptyText,
    emptyIsAbsent: true,
    otherwise: 'only `refusedBy` counts',
    mayChangeOnResume: true,
    summary: 'a text in the first 4 KiB of a response, with any status, that means that the API rejects the token',
  },
} satisfies OptionRows;

/** Returns the rejection rule of the options. */
export const rejectionRule = ({ refusedBy, refusedText }: OptionsOf<typeof rejectionFields>): RejectionRule => ({
  statuses: new Set(refusedBy),
  ...(refusedText === undefined ? {} : { text: refusedText }),
});

const loginRequest = (...references: readonly FieldReference[]) =>
  ({
    endpoint: {
      kind: endpoint,
      summary: 'the URL of the login request, absolute or relative to `baseUrl`',
      required: true,
    },
    method: {
      kind: method,
      summary: 'the HTTP method; it determines how the parameters are sent',
      default: 'GET',
      emptyIsAbsent: true,
    },
    params: {
      kind: expressions(...references),
      default: emptyObject,
      summary: 'parameters of the login request',
      emptyIsAbsent: true,
    },
    headers: {
      kind: expressions(...references),
      default: emptyObject,
      summary: 'headers of the login request',
      emptyIsAbsent: true,
    },
  }) satisfies OptionRows;

const apiRequest = {
  headers: {
    kind: expressions('response', 'attr'),
    summary: 'headers of every request after the login; they replace headers of the same name',
    default: emptyObject,
    emptyIsAbsent: true,
  },
  query: {
    kind: expressions('response', 'attr'),
    summary: 'query parameters of every request after the login',
    default: emptyObject,
    emptyIsAbsent: true,
  },
} satisfies OptionRows;

const expiresFields = {
  response: { kind: nonEmptyText, summary: 'path in the login response to the expiry', required: true },
  relative: { kind: boolean, summary: 'whether that value is a number of seconds from now', default: false },
} satisfies OptionRows;

/** `references` are those of the login request. */
export const loginFieldsOver = (...references: readonly FieldReference[]) =>
  ({
    loginRequest: { kind: objectOf(loginRequest(...references)), summary: 'the request that logs in', required: true },
    format: { kind: word('json', 'text'), summary: 'the format of the login response', default: 'json' },
    apiRequest: {
      kind: objectOf(apiRequest),
      default: defaultsOf(apiRequest),
      summary: 'what to add to every request after the login',
      emptyIsAbsent: true,
    },
    expires: {
      kind: union(whole(), objectOf(expiresFields), 'a whole number of seconds, or an object with "response"'),
      otherwise: 'one login for the whole run',
      summary:
        'when to log in again: after a number of seconds (0: before every request), or at a time in the response',
      emptyIsAbsent: 'but zero',
    },
    ...rejectionFields,
    ...sharingFields,
  }) satisfies OptionRows;

export const loginFields = loginFieldsOver('attr');

export type LoginOptions = OptionsOf<typeof loginFields>;
