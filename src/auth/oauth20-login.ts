/** Authentication by a login request that refers to the OAuth 2.0 credentials in the document. */
import type { Component } from '../language/component.js';
import { createLogin } from './create-login.js';
import { loginFieldsOver } from './login-fields.js';
import {
  findOAuthCredentials,
  oauthCredentials,
  oauthReferences,
  oauthRoots,
  objectToken,
} from './oauth-credentials.js';
import { sharingProblems } from './sharing.js';
import type { AuthContext, LoginAuthenticator } from './types.js';

const fields = loginFieldsOver('consumer', 'user', 'attr');

export const oauth20Login: Component<typeof fields, LoginAuthenticator, AuthContext> = {
  summary: 'a login whose request refers to the OAuth 2.0 application and token in the document',
  fields,
  rules: [
    'The credentials are in `authorization.oauth_api.credentials` of the document: `appKey`, `#appSecret`, and `#data`, the token as a string of a JSON object.',
    'The login request can refer to `consumer` and `user`; `apiRequest` can refer to `response` and `attr`.',
    'Everything else is like `login`.',
  ],
  example: `{
  "type": "oauth20.login",
  "loginRequest": {
    "endpoint": "oauth/token",
    "method": "FORM",
    "params": {
      "client_id": { "consumer": "client_id" },
      "client_secret": { "consumer": "client_secret" },
      "refresh_token": { "user": "refresh_token" },
      "grant_type": "refresh_token"
    }
  },
  "apiRequest": { "query": { "access_token": { "response": "access_token" } } },
  "expires": { "response": "expires_in", "relative": true }
}`,

  inspect({ shared, expires }, { authorization, path }) {
    const { credentials, problems: ofHeld } = findOAuthCredentials(authorization, objectToken);
    const problems = [...ofHeld, ...sharingProblems(shared, expires, path('shared'))];
    return credentials === undefined ? { problems } : { problems, roots: oauthRoots(credentials) };
  },

  create(options, context) {
    const credentials = oauthCredentials(context.authorization, objectToken);
    return createLogin(options, context, oauthReferences(credentials, context.secrets));
  },
};
