/** OAuth 1.0 with the credentials in the document: signs every request. docs/reference/authentication.md#oauth10. */
import { asyncScheduler } from 'rxjs';
import { isNumber, isPhpEmpty } from '../core/json/exact.js';
import { withHeader } from '../core/url/headers.js';
import { suggestFor } from '../core/util/suggest.js';
import type { Component, NoRows } from '../language/component.js';
import { findOAuthCredentials, oauthCredentials, objectToken, type TokenReader } from './oauth-credentials.js';
import { type OAuth1Keys, oauth1Header } from './oauth1-signature.js';
import type { AuthContext, Authenticator } from './types.js';

type TokenPair = Pick<OAuth1Keys, 'token' | 'tokenSecret'>;

export const oauth10: Component<NoRows, Authenticator, AuthContext> = {
  summary: 'signs every request with HMAC-SHA1, according to OAuth 1.0',
  fields: {},
  rules: [
    'The credentials are in `authorization.oauth_api.credentials` of the document: `appKey`, `#appSecret`, and `#data`, a string of JSON with `oauth_token` and `oauth_token_secret`.',
    'The signature covers the method, the URL, and the parameters of the query and of a FORM.',
    'Nonce, timestamp and signature are new for each attempt and each redirect.',
  ],
  example: '{ "type": "oauth10" }',

  inspect: (_, { authorization }) => ({ problems: findOAuthCredentials(authorization, tokenPair).problems }),

  create(_, { authorization, secrets, nonce }) {
    const { appKey, appSecret, data } = oauthCredentials(authorization, tokenPair);
    for (const secret of [appSecret, data.token, data.tokenSecret]) secrets.add(secret);
    const keys: OAuth1Keys = { consumerKey: appKey, consumerSecret: appSecret, ...data };
    return {
      endpoints: [],
      authorize(request) {
        const timestamp = String(Math.floor(asyncScheduler.now() / 1000));
        const { line, signature } = oauth1Header(request, keys, { nonce: nonce(), timestamp });
        secrets.add(signature, 'request');
        return { ...request, headers: withHeader(request.headers, 'Authorization', line) };
      },
    };
  },
};

/** A token and its secret, as a JSON object. */
const tokenPair: TokenReader<TokenPair> = (text) => {
  const read = objectToken(text);
  if ('faults' in read) return read;
  const [token, tokenSecret] = ['oauth_token', 'oauth_token_secret'].map((key) => {
    const value = read.data.get(key);
    if (!isPhpEmpty(value) && (typeof value === 'string' || isNumber(value))) return String(value);
    const hint = read.data.has(key) ? '' : suggestFor(key, read.data.keys());
    return { key, message: `required: expected a string in the JSON${hint}` };
  });
  if (typeof token === 'string' && typeof tokenSecret === 'string') return { data: { token, tokenSecret } };
  return { faults: [token, tokenSecret].filter((each) => typeof each === 'object') };
};
