import type { Component } from '../language/component.js';
import { createLogin } from './create-login.js';
import { type LoginOptions, loginFields } from './login-fields.js';
import type { AuthContext } from './needs.js';
import { sharingProblems } from './sharing.js';
import type { LoginAuthenticator } from './types.js';

export const login: Component<LoginOptions, LoginAuthenticator, AuthContext> = {
  summary: 'a login request first; its reply holds what authenticates all other requests',
  fields: loginFields,
  rules: [
    'The login request carries its own parameters and headers and those of `api.http.headers` and `config.http.headers`, never `api.http.defaultOptions`.',
    'A reply of text, or one that is a single JSON value, is referred to as `data`.',
    'In `apiRequest` a bare text that is the path of a value in the reply refers to it; any other text is itself.',
    'A query parameter that the job or a default has too is sent as a list: `name[0]` theirs, `name[1]` that of the login.',
    'An expiry that the reply tells is met early, by a tenth of its lifetime and 30 seconds at most.',
    'However many jobs wait, there is one login at a time.',
    'Each iteration logs in for itself. With `shared` those share a login whose requests are identical and whose `apiRequest` refers to the same values of `attr`; never with `expires` 0.',
  ],
  example: `{
  "type": "login",
  "loginRequest": {
    "endpoint": "login",
    "method": "POST",
    "params": { "username": { "attr": "#username" }, "password": { "attr": "#password" } }
  },
  "apiRequest": {
    "headers": { "X-ApiToken": { "response": "authorization.token" } }
  },
  "expires": 3600
}`,

  inspect: ({ shared, expires }, { path }) => ({ problems: sharingProblems(shared, expires, path('shared')) }),

  /** Throws ERR_FUNCTION where the login request cannot be made, before anything is sent. */
  create: (options, needs) => createLogin(options, needs),
};
