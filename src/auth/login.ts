/** Authentication by a login request whose response authenticates all other requests. */
import type { Component } from '../language/component.js';
import { createLogin } from './create-login.js';
import { loginFields } from './login-fields.js';
import { sharingProblems } from './sharing.js';
import type { AuthContext, LoginAuthenticator } from './types.js';

export const login: Component<typeof loginFields, LoginAuthenticator, AuthContext> = {
  summary: 'a login request, whose response contains what authenticates all other requests',
  fields: loginFields,
  rules: [
    'The login request has its own parameters and headers, and the headers of `api.http.headers` and `config.http.headers`, but not `api.http.defaultOptions`.',
    'A response that is text, or a single JSON value, is referred to as `data`.',
    'In `apiRequest`, a plain string that is the path of a value in the response refers to that value. Any other string is used as it is.',
    'If the job or a default has a query parameter of the same name, both are sent: `name[0]` is theirs, `name[1]` is that of the login.',
    'If the response states the expiry, the login is renewed early: by a tenth of its lifetime, at most 30 seconds.',
    'All jobs share one login at a time.',
    'Each iteration has its own login. With `shared`, iterations share a login if their login requests are identical and `apiRequest` refers to the same values of `attr`. `shared` cannot be used with `expires` 0.',
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

  /** Throws ERR_FUNCTION if the login request cannot be built, before anything is sent. */
  create: (options, context) => createLogin(options, context),
};
