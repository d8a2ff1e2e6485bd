/** The types of `api.authentication` by name: one file and one line each. */
import { apiKey } from './api-key.js';
import { basic } from './basic.js';
import { bearer } from './bearer.js';
import { login } from './login.js';
import { oauth2 } from './oauth2.js';
import { oauth10 } from './oauth10.js';
import { oauth20 } from './oauth20.js';
import { oauth20Login } from './oauth20-login.js';
import { query, urlQuery } from './query.js';

export const authentications = {
  basic,
  bearer,
  'api-key': apiKey,
  query,
  'url.query': urlQuery,
  login,
  oauth10,
  oauth20,
  'oauth20.login': oauth20Login,
  oauth2,
};
