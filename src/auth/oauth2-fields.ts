/** The keys of `api.authentication` of type `oauth2`, and what they say together. */

import type { Problem } from '../core/errors/errors.js';
import { type Exact, type ExactObject, emptyObject, isArray, isObject } from '../core/json/exact.js';
import { expression, expressions } from '../language/expression-fields.js';
import { name, oneOf } from '../language/fields.js';
import type { FieldReference, Fields } from '../language/types.js';
import { type RefusalOptions, refusalFields } from './refusal-fields.js';
import { type SharingOptions, sharedField } from './sharing.js';

export interface OAuth2Options extends RefusalOptions, SharingOptions {
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
    summary: 'what the token is given for: the client alone, or a refresh token that somebody agreed to beforehand',
  },
  tokenEndpoint: {
    type: name,
    required: true,
    summary: 'where tokens are asked for: relative to `baseUrl`, or a whole address elsewhere',
  },
  clientId: { type: expression(...references), required: true, summary: 'the name of the client' },
  clientSecret: {
    type: expression(...references),
    otherwise: 'a public client, which is for `refresh_token` alone',
    summary: 'the secret of the client',
  },
  clientAuthentication: {
    type: oneOf('basic', 'body'),
    default: 'basic',
    summary: 'where the client shows its secret: in a header, as HTTP Basic has it, or among the parameters',
  },
  refreshToken: {
    type: expression(...references),
    summary: 'the refresh token to begin with: for `refresh_token`, which needs it',
  },
  scope: {
    type: expression(...references),
    summary: 'what the token shall be good for, words with spaces between them',
  },
  params: {
    type: expressions(...references),
    summary: 'further parameters of the token request, such as `audience` or `resource`',
  },
  ...refusalFields,
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

/** What does not go together; `path` is that of a key. */
export function problemsOf(options: OAuth2Options, path: (key: string) => string): readonly Problem[] {
  const { grant, clientSecret, clientAuthentication, refreshToken, params = emptyObject } = options;
  const isRefresh = grant === 'refresh_token';
  const faults: readonly (readonly [isFault: boolean, key: string, message: string])[] = [
    [!isRefresh && clientSecret === undefined, 'clientSecret', 'required: expected the secret of the client'],
    [isRefresh && refreshToken === undefined, 'refreshToken', 'required: expected the refresh token to begin with'],
    [!isRefresh && refreshToken !== undefined, 'refreshToken', 'belongs to the grant "refresh_token" alone'],
    [
      isRefresh && clientSecret === undefined && clientAuthentication !== undefined,
      'clientAuthentication',
      'there is no `clientSecret` that could be shown',
    ],
  ];
  const found = faults.filter(([isFault]) => isFault).map(([, key, message]) => ({ path: path(key), message }));
  return [...found, ...[...params.keys()].flatMap((each) => ownedBy(each, path('params')))];
}

function ownedBy(param: string, place: string): readonly Problem[] {
  const owner = owners.get(param);
  return owner === undefined ? [] : [{ path: `${place}.${param}`, message: `has a key of its own: \`${owner}\`` }];
}

/** Whether an expression refers to what the document holds. */
export function usesHeld(options: OAuth2Options): boolean {
  const { clientId, clientSecret = null, refreshToken = null, scope = null, params = emptyObject } = options;
  return [clientId, clientSecret, refreshToken, scope, ...params.values()].some(refersToHeld);
}

function refersToHeld(value: Exact): boolean {
  if (isArray(value)) return value.some(refersToHeld);
  if (!isObject(value)) return false;
  const [key] = value.keys();
  return (value.size === 1 && (key === 'consumer' || key === 'user')) || [...value.values()].some(refersToHeld);
}
