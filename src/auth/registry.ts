/** The types of `api.authentication` by name: one file and one line each. */
import { login } from './login.js';

export const authentications = { login };

/** Types that the language has and this version has not: refused by name. requests.md 3, decision 28. */
export const authenticationsToCome: readonly string[] = [
  'basic',
  'query',
  'url.query',
  'oauth10',
  'oauth20',
  'oauth20.login',
];
