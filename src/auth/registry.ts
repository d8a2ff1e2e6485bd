/** The types of `api.authentication` by name: one file and one line each. */
import { login } from './login.js';

export const authentications = { login };
