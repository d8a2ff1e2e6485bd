/**
 * What of a login must never show: the texts that go out with it and those that come back. docs/03-login.md#secrets.
 */
import { type Exact, isArray, isObject } from '../core/json/exact.js';
import type { Secrets } from '../core/model/secrets.js';
import { credentialsIn } from '../core/secrets/known-secrets.js';
import type { LoginRequest } from './types.js';

/** Shorter texts would mask half of every message; a reference to one is remembered when it is evaluated. */
const shortest = 4;

/**
 * Remembers the texts among the parameters and headers; of a header such as `Bearer x` also what is a credential by
 * itself.
 */
export function rememberRequest({ params, headers }: LoginRequest, secrets: Pick<Secrets, 'add'>): void {
  rememberTexts(params, secrets);
  for (const line of [...headers.values()].flat()) {
    for (const each of [line, ...credentialsIn(line)]) rememberTexts(each, secrets);
  }
}

/** Remembers every text within a value. */
export function rememberTexts(value: Exact, secrets: Pick<Secrets, 'add'>): void {
  if (typeof value === 'string' && value.length >= shortest) secrets.add(value);
  else if (isArray(value)) for (const element of value) rememberTexts(element, secrets);
  else if (isObject(value)) for (const member of value.values()) rememberTexts(member, secrets);
}
