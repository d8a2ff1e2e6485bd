/** The keys of `api.authentication` of type `oauth2`, and the rules between them. */

import type { Problem } from '../core/errors/errors.js';
import { type Exact, emptyObject, isArray, isObject } from '../core/json/exact.js';
import type { FieldReference } from '../core/model/field-reference.js';
import type { OptionRows, OptionsOf } from '../core/options/kind.js';
import { nonEmptyText, word } from '../core/options/kinds.js';
import type { ConfigContext } from '../language/component.js';
import { expression, expressions } from '../language/expression-kinds.js';
import { rejectionFields } from './login-fields.js';
import { sharingFields } from './sharing.js';

const references: readonly FieldReference[] = ['attr', 'consumer', 'user'];

export const oauth2Fields = {
  grant: {
    kind: word('client_credentials', 'refresh_token'),
    required: true,
    summary: 'the grant: the client itself, or a refresh token that a user has approved',
  },
  tokenEndpoint: {
    kind: nonEmptyText,
    required: true,
    summary: 'the URL for token requests, absolute or relative to `baseUrl`',
  },
  clientId: { kind: expression(...references), required: true, summary: 'the id of the client' },
  clientSecret: {
    kind: expression(...references),
    otherwise: 'a public client, only for `refresh_token`',
    summary: 'the secret of the client',
  },
  clientAuthentication: {
    kind: word('basic', 'body'),
    default: 'basic',
    summary: 'how the secret is sent: in a header (HTTP Basic), or as a parameter',
  },
  refreshToken: {
    kind: expression(...references),
    summary: 'the first refresh token; required for `refresh_token` without `tokenStore`',
  },
  tokenStore: {
    kind: nonEmptyText,
    otherwise: 'a new refresh token is used until the run ends',
    mayChangeOnResume: true,
    summary:
      'the path of a file, or the address of a state at a server, that keeps the latest refresh token, for `refresh_token`',
  },
  authorizationEndpoint: {
    kind: nonEmptyText,
    mayChangeOnResume: true,
    summary: 'the URL where a user approves access in a browser, with its query; only for `rxtract login`',
  },
  deviceEndpoint: {
    kind: nonEmptyText,
    mayChangeOnResume: true,
    summary: 'the URL that gives a code to a device without a browser; only for `rxtract login`',
  },
  scope: {
    kind: expression(...references),
    summary: 'the scope to request: words separated by spaces',
  },
  params: {
    kind: expressions(...references),
    default: emptyObject,
    summary: 'more parameters of the token request, such as `audience` or `resource`',
  },
  ...rejectionFields,
  ...sharingFields,
} satisfies OptionRows;

export type OAuth2Options = OptionsOf<typeof oauth2Fields>;

/** Parameters that have keys of their own. */
const owners: ReadonlyMap<string, keyof OAuth2Options> = new Map([
  ['grant_type', 'grant'],
  ['client_id', 'clientId'],
  ['client_secret', 'clientSecret'],
  ['refresh_token', 'refreshToken'],
  ['scope', 'scope'],
]);

/** Returns conflicts between options. */
export function findConflicts(options: OAuth2Options, { path, isGiven }: ConfigContext): readonly Problem[] {
  const { grant, clientSecret, refreshToken, tokenStore, params } = options;
  const isRefresh = grant === 'refresh_token';
  const faults: readonly (readonly [isFault: boolean, key: string, message: string])[] = [
    [!isRefresh && clientSecret === undefined, 'clientSecret', 'required: expected the secret of the client'],
    [
      isRefresh && refreshToken === undefined && tokenStore === undefined,
      'refreshToken',
      'required: expected the first refresh token',
    ],
    [!isRefresh && tokenStore !== undefined, 'tokenStore', 'only allowed with the grant "refresh_token"'],
    [!isRefresh && refreshToken !== undefined, 'refreshToken', 'only allowed with the grant "refresh_token"'],
    [
      isRefresh && clientSecret === undefined && isGiven('clientAuthentication'),
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
  const { clientId, clientSecret = null, refreshToken = null, scope = null, params } = options;
  return [clientId, clientSecret, refreshToken, scope, ...params.values()].some(refersToHeld);
}

function refersToHeld(value: Exact): boolean {
  if (isArray(value)) return value.some(refersToHeld);
  if (!isObject(value)) return false;
  const [key] = value.keys();
  return (value.size === 1 && (key === 'consumer' || key === 'user')) || [...value.values()].some(refersToHeld);
}
