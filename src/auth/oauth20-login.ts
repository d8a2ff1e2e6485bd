import type { Component } from '../language/component.js';
import { createLogin } from './create-login.js';
import { heldReferences, heldRoots } from './held-references.js';
import { type LoginOptions, loginFieldsOver } from './login-fields.js';
import type { AuthContext } from './needs.js';
import { findOAuthCredentials, oauthCredentials, objectToken } from './oauth-credentials.js';
import { sharingProblems } from './sharing.js';
import type { LoginAuthenticator } from './types.js';

export const oauth20Login: Component<LoginOptions, LoginAuthenticator, AuthContext> = {
  summary: 'a login whose request refers to the application and the token of OAuth 2.0 that the document holds',
  fields: loginFieldsOver('consumer', 'user', 'attr'),
  rules: [
    'Credentials stand in `authorization.oauth_api.credentials` of the document: `appKey`, `#appSecret`, and `#data`, the token as a text of a JSON object.',
    '`consumer` and `user` can be referred to in the login request alone; in `apiRequest` it is `response` and `attr`.',
    'All else is as with `login`.',
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
    return credentials === undefined ? { problems } : { problems, roots: heldRoots(credentials) };
  },

  create(options, needs) {
    const credentials = oauthCredentials(needs.authorization, objectToken);
    return createLogin(options, needs, heldReferences(credentials, needs.secrets));
  },
};
