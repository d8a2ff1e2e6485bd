/**
 * OAuth 2.0 without a user: gets a token from a token endpoint, renews it at its expiry, and sends it in the
 * `Authorization` header. RFC 6749.
 */
import { asyncScheduler } from 'rxjs';
import { type ExactObject, emptyObject } from '../core/json/exact.js';
import type { FieldReference } from '../core/model/field-reference.js';
import type { HttpRequest } from '../core/model/request.js';
import { replaceHeaders } from '../core/url/headers.js';
import { defined } from '../core/util/defined.js';
import type { Component } from '../language/component.js';
import { type ExpressionContext, evaluateMap } from '../language/expression/expression.js';
import { attrReference, type ReferenceResolver as Lookup } from '../language/expression/reference.js';
import { type ConsentParts, createConsent } from './consent.js';
import { createLoginAuthenticator, fixedTime, type LoginSteps } from './create-login.js';
import { rejectionRule } from './login-fields.js';
import {
  findOAuthCredentials,
  oauthCredentials,
  oauthReferences,
  oauthRoots,
  objectToken,
} from './oauth-credentials.js';
import { findConflicts, type OAuth2Options, oauth2Fields, usesOAuthCredentials } from './oauth2-fields.js';
import { createGrant, type GrantTexts } from './oauth2-grant.js';
import {
  accessToken,
  authenticateClient,
  type ClientAuth,
  rejections,
  tokenExpiry,
  tokenReply,
  tokenRequest,
} from './oauth2-token.js';
import { nonEmptyText, secretIn } from './secret-text.js';
import type { AuthContext, Credentials, LoginAuthenticator } from './types.js';

const place = 'api.authentication';

export const oauth2: Component<typeof oauth2Fields, LoginAuthenticator, AuthContext> = {
  summary: 'requests an OAuth 2.0 token with client credentials or a refresh token, and renews it',
  fields: oauth2Fields,
  rules: [
    'The token is renewed early, by a tenth of its lifetime, at most 30 seconds. It is also renewed when the API rejects it (`refusedBy`, `refusedText`).',
    'If the response has no `expires_in`, the token is used until the API rejects it.',
    'If a response contains a refresh token, it replaces the one before: in the `tokenStore`, or else until the run ends. `client_credentials` uses no refresh token.',
    'With `tokenStore`, a token of the store counts, as long as `refreshToken` is the one that it comes from. One process at a time exchanges a token.',
    '`consumer` and `user` refer to `authorization.oauth_api.credentials` of the document, like with `oauth20.login`.',
    'Each iteration requests its own token. With `shared`, iterations with identical token requests share one.',
    'The client secret and the tokens are secrets. A configured `Authorization` header is replaced.',
  ],
  example: `{
  "type": "oauth2",
  "grant": "client_credentials",
  "tokenEndpoint": "https://login.example.com/oauth/token",
  "clientId": "client-1",
  "clientSecret": { "attr": "#clientSecret" },
  "scope": "orders.read",
  "params": { "audience": "https://api.example.com" }
}`,

  inspect(options, around) {
    const own = findConflicts(options, around);
    if (!usesOAuthCredentials(options)) return { problems: own };
    const { credentials, problems } = findOAuthCredentials(around.authorization, objectToken);
    if (credentials === undefined) return { problems: [...own, ...problems] };
    return { problems: own, roots: oauthRoots(credentials) };
  },

  /** Throws ERR_FUNCTION if the token request cannot be built, before anything is sent. */
  create(options, authContext) {
    const context = createContext(options, authContext);
    const { secrets, notify } = authContext;
    const endpoint = options.tokenEndpoint;
    const client = clientOf(options, context);
    const params = paramsOf(options, context);
    const texts = textsOf(options, context);
    const grant = createGrant(options, texts, authContext);
    const first = tokenRequest(endpoint, { grant: grant.first, params, client });
    const steps: LoginSteps = {
      endpoint,
      sharing: { isShared: options.shared, request: first, others: 'oauth2' },
      renewal: 'on expiry',
      outline: { request: first, path: place, headers: new Map([['Authorization', place]]), query: new Map() },
      takes: rejections,
      refusal: rejectionRule(options),
      request: () => tokenRequest(endpoint, { grant: grant.params(), params, client }),
      ...defined({ alone: grant.alone, consent: consentOf({ options, texts, client, params, context: authContext }) }),
      credentialsFrom(answer, ofCredentials) {
        const reply = tokenReply(answer, ofCredentials);
        grant.take(reply);
        const token = accessToken(reply, ofCredentials);
        const { at, notice } = tokenExpiry(reply, asyncScheduler.now());
        if (notice !== undefined) notify(notice);
        const headers = new Map([['Authorization', [`Bearer ${token}`]]]);
        return { headers, query: emptyObject, expiresAt: at };
      },
    };
    return { ...createLoginAuthenticator(steps, secrets), authorize };
  },
};

const consentOf = (parts: ConsentParts) => (parts.options.tokenStore === undefined ? undefined : createConsent(parts));

/** The address is unchanged. */
const authorize = (request: HttpRequest, { headers }: Credentials): HttpRequest => ({
  ...request,
  headers: replaceHeaders(request.headers, headers),
});

function createContext(options: OAuth2Options, authContext: AuthContext): ExpressionContext {
  const { attr, authorization, preparedAt, secrets } = authContext;
  const ofCredentials = usesOAuthCredentials(options)
    ? oauthReferences(oauthCredentials(authorization, objectToken), secrets)
    : [];
  const references = new Map<FieldReference, Lookup>([['attr', attrReference(attr)], ...ofCredentials]);
  return { references, secrets, ...fixedTime(preparedAt) };
}

function clientOf(options: OAuth2Options, context: ExpressionContext): ClientAuth {
  const { clientId, clientSecret, clientAuthentication: authentication } = options;
  const id = nonEmptyText(clientId, 'clientId', context);
  if (clientSecret === undefined) return authenticateClient({ id, authentication });
  const client = authenticateClient({ id, secret: secretIn(clientSecret, 'clientSecret', context), authentication });
  for (const secret of client.secrets) context.secrets.add(secret);
  return client;
}

function textsOf({ clientId, refreshToken }: OAuth2Options, context: ExpressionContext): GrantTexts {
  const id = nonEmptyText(clientId, 'clientId', context);
  return refreshToken === undefined
    ? { clientId: id }
    : { clientId: id, refreshToken: secretIn(refreshToken, 'refreshToken', context) };
}

function paramsOf({ scope, params }: OAuth2Options, context: ExpressionContext): ExactObject {
  const named: ExactObject = scope === undefined ? emptyObject : new Map([['scope', scope]]);
  return new Map([...evaluateMap(named, context, place), ...evaluateMap(params, context, `${place}.params`)]);
}
