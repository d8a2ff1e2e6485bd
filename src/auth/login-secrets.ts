/**
 * Adds the texts of a login to the secrets: those of its request and those of its response. docs/03-login.md#secrets.
 */
import { type Exact, isArray, isObject } from '../core/json/exact.js';
import type { Secrets } from '../core/model/secrets.js';
import { credentialsIn } from '../core/secrets/known-secrets.js';
import type { LoginRequest } from './types.js';

/** Shorter texts would mask half of every message; a referenced one is added when it is evaluated. */
const shortest = 4;

/** Adds the texts of parameters and headers; of a header such as `Bearer x` also the credential alone. */
export function rememberRequest({ params, headers }: LoginRequest, secrets: Pick<Secrets, 'add'>): void {
  rememberTexts(params, secrets);
  for (const line of [...headers.values()].flat()) {
    for (const each of [line, ...credentialsIn(line)]) rememberTexts(each, secrets);
  }
}

/** Adds every text in a value. */
export function rememberTexts(value: Exact, secrets: Pick<Secrets, 'add'>): void {
  if (typeof value === 'string' && value.length >= shortest) secrets.add(value);
  else if (isArray(value)) for (const element of value) rememberTexts(element, secrets);
  else if (isObject(value)) for (const member of value.values()) rememberTexts(member, secrets);
}
