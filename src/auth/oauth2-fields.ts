/** The keys of `api.authentication` of type `oauth2`, and the rules between them. */

import type { Problem } from '../core/errors/errors.js';
import { type Exact, type ExactObject, emptyObject, isArray, isObject } from '../core/json/exact.js';
import { expression, expressions } from '../language/expression-fields.js';
import { nonEmptyString, oneOf } from '../language/fields.js';
import type { FieldReference, Fields } from '../language/types.js';
import { type RejectionOptions, rejectionFields } from './login-fields.js';
import { type SharingOptions, sharedField } from './sharing.js';

export interface OAuth2Options extends RejectionOptions, SharingOptions {
  readonly grant: 'client_credentials' | 'refresh_token';
  readonly tokenEndpoint: string;
  readonly clientId: Exact;
  readonly clientSecret?: Exact;
  readonly clientAuthentication?: 'basic' | 'body';
  readonly refreshToken?: Exact;
  readonly scope?: Exact;
  readonly params?: ExactObject;
}

const references: readonly FieldReference[] = ['attr', 'consumer', 'user'];

export const oauth2Fields: Fields<OAuth2Options> = {
  grant: {
    type: oneOf('client_credentials', 'refresh_token'),
    required: true,
    summary: 'the grant: the client itself, or a refresh token that a user has approved',
  },
  tokenEndpoint: {
    type: nonEmptyString,
    required: true,
    summary: 'the URL for token requests, absolute or relative to `baseUrl`',
  },
  clientId: { type: expression(...references), required: true, summary: 'the id of the client' },
  clientSecret: {
    type: expression(...references),
    otherwise: 'a public client, only for `refresh_token`',
    summary: 'the secret of the client',
  },
  clientAuthentication: {
    type: oneOf('basic', 'body'),
    default: 'basic',
    summary: 'how the secret is sent: in a header (HTTP Basic), or as a parameter',
  },
  refreshToken: {
    type: expression(...references),
    summary: 'the first refresh token; required for `refresh_token`',
  },
  scope: {
    type: expression(...references),
    summary: 'the scope to request: words separated by spaces',
  },
  params: {
    type: expressions(...references),
    summary: 'more parameters of the token request, such as `audience` or `resource`',
  },
  ...rejectionFields,
  shared: sharedField,
};

/** Parameters that have keys of their own. */
const owners: ReadonlyMap<string, keyof OAuth2Options> = new Map([
  ['grant_type', 'grant'],
  ['client_id', 'clientId'],
  ['client_secret', 'clientSecret'],
  ['refresh_token', 'refreshToken'],
  ['scope', 'scope'],
]);

/** Returns conflicts between options; `path` is that of a key. */
export function findConflicts(options: OAuth2Options, path: (key: string) => string): readonly Problem[] {
  const { grant, clientSecret, clientAuthentication, refreshToken, params = emptyObject } = options;
  const isRefresh = grant === 'refresh_token';
  const faults: readonly (readonly [isFault: boolean, key: string, message: string])[] = [
    [!isRefresh && clientSecret === undefined, 'clientSecret', 'required: expected the secret of the client'],
    [isRefresh && refreshToken === undefined, 'refreshToken', 'required: expected the first refresh token'],
    [!isRefresh && refreshToken !== undefined, 'refreshToken', 'only allowed with the grant "refresh_token"'],
    [
      isRefresh && clientSecret === undefined && clientAuthentication !== undefined,
      'clientAuthentication',
      'not allowed without `clientSecret`',
    ],
  ];
  const problems = faults.filter(([isFault]) => isFault).map(([, key, message]) => ({ path: path(key), message }));
  return [...problems, ...[...params.keys()].flatMap((each) => ownedBy(each, path('params')))];
}

function ownedBy(param: string, place: string): readonly Problem[] {
  const owner = owners.get(param);
  return owner === undefined
    ? []
    : [{ path: `${place}.${param}`, message: `not allowed here; use the key \`${owner}\`` }];
}

/** Whether an expression refers to credentials in the document. */
export function usesOAuthCredentials(options: OAuth2Options): boolean {
  const { clientId, clientSecret = null, refreshToken = null, scope = null, params = emptyObject } = options;
  return [clientId, clientSecret, refreshToken, scope, ...params.values()].some(refersToHeld);
}

function refersToHeld(value: Exact): boolean {
  if (isArray(value)) return value.some(refersToHeld);
  if (!isObject(value)) return false;
  const [key] = value.keys();
  return (value.size === 1 && (key === 'consumer' || key === 'user')) || [...value.values()].some(refersToHeld);
}
