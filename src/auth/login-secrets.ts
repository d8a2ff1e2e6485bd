/** What of a login must never show: the texts that go out with it and those that come back. Seed 5.3. */
import { type Exact, isArray, isObject } from '../exact.js';
import type { LoginRequest, Secrets } from '../types.js';

/** Shorter texts would mask half of every message; a reference to one is remembered when it is evaluated. */
const shortest = 4;

/** Remembers the texts among the parameters and headers; of a header such as `Bearer x` also what follows the scheme. */
export function rememberRequest({ params, headers }: LoginRequest, secrets: Pick<Secrets, 'add'>): void {
  rememberTexts(params, secrets);
  for (const line of [...headers.values()].flat()) {
    rememberTexts(line, secrets);
    const [, credentials] = /^[\w-]+ +(\S+)$/.exec(line) ?? [];
    if (credentials !== undefined) rememberTexts(credentials, secrets);
  }
}

/** Remembers every text within a value. */
export function rememberTexts(value: Exact, secrets: Pick<Secrets, 'add'>): void {
  if (typeof value === 'string' && value.length >= shortest) secrets.add(value);
  else if (isArray(value)) for (const element of value) rememberTexts(element, secrets);
  else if (isObject(value)) for (const member of value.values()) rememberTexts(member, secrets);
}
