/** Finds the secrets that are written in a configuration, before anything is evaluated. */

import { type Exact, isArray, isNumber, isObject } from '../json/exact.js';
import type { Headers, PageRequest } from '../model/request.js';
import type { Secrets } from '../model/secrets.js';
import { decode } from '../url/percent.js';

/** Headers whose values do not identify the sender. */
const harmlessHeaders = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-type',
  'host',
  'origin',
  'pragma',
  'referer',
  'user-agent',
]);

/** Whether the values of a header do not identify the sender. */
export const isHarmless = (header: string): boolean => harmlessHeaders.has(header.toLowerCase());

/**
 * Returns a store that ignores names of the configuration, and words in them, such as a scope `orders` beside a job
 * `orders`. They are not secret, and with masked names jobs would look alike.
 */
export function ignoringNames(secrets: Secrets, names: readonly string[]): Secrets {
  const isName = (value: string) =>
    names.some((name) => name === value || (/^[a-z]+$/i.test(value) && name.includes(value)));
  return {
    ...secrets,
    add: (value, lifetime) => {
      if (!isName(value)) secrets.add(value, lifetime);
    },
    scope() {
      const { add, close } = secrets.scope();
      return { add: (value) => (isName(value) ? undefined : add(value)), close };
    },
  };
}

/** Adds all values at and below keys that begin with `#`. docs/01-configuration.md#expressions. */
export function addSecretKeys(document: Exact, secrets: Secrets, isSecret = false): void {
  if (isObject(document)) {
    for (const [key, value] of document) addSecretKeys(value, secrets, isSecret || key.startsWith('#'));
  } else if (isArray(document)) {
    for (const value of document) addSecretKeys(value, secrets, isSecret);
  } else if (isSecret && (typeof document === 'string' || isNumber(document))) {
    secrets.add(String(document));
  }
}

/** Adds the values of configured headers, where API keys are, except headers known to be harmless. */
export function addHeaderSecrets(headers: Headers, secrets: Secrets): void {
  for (const [name, values] of headers) {
    if (isHarmless(name)) continue;
    for (const value of values) for (const each of [value, ...credentialsIn(value)]) secrets.add(each);
  }
}

/** Shorter parts, such as a flag of a cookie, would mask half of every message. */
const shortestPart = 4;

/**
 * Returns the parts of a header that are credentials by themselves, because a server may quote them alone: the text
 * after a scheme (for Basic its user and password), and the values of a cookie.
 */
export function credentialsIn(line: string): readonly string[] {
  const [, scheme = '', credentials] = /^([\w-]+) +(\S+)$/.exec(line) ?? [];
  const pair = /^basic$/i.test(scheme) ? Buffer.from(credentials ?? '', 'base64').toString() : '';
  const password = pair.slice(pair.indexOf(':') + 1);
  const cookies = line.split(/; */).map((each) => /^[\w!#$%&'*+.^`|~-]+=(.*)$/.exec(each)?.[1]);
  return [credentials, pair, password, ...cookies].flatMap((each) =>
    each !== undefined && each.length >= shortestPart ? [each] : [],
  );
}

/** Adds the user information of an address, as written and as its Basic header. Either part can be a key. */
export function addUserInformation(address: string, secrets: Pick<Secrets, 'add'>): void {
  const [, written = ''] = /^(?:[^:/?#]+:)?\/\/([^/?#]*)@/.exec(address) ?? [];
  const text = decode(written.replaceAll('+', '%2B'));
  const colon = text.indexOf(':');
  const parts = colon < 0 ? [] : [text.slice(0, colon), text.slice(colon + 1)];
  if (written === '') return;
  for (const each of [written, text, Buffer.from(text).toString('base64'), ...parts]) secrets.add(each);
}

/** Shorter texts would mask half of every message; a referenced one is added when it is evaluated. */
const shortest = 4;

/** Adds the texts of parameters and headers; of a header such as `Bearer x` also the credential alone. */
export function addRequestSecrets({ params, headers }: PageRequest, secrets: Pick<Secrets, 'add'>): void {
  addTexts(params, secrets);
  for (const line of [...headers.values()].flat()) {
    for (const each of [line, ...credentialsIn(line)]) addTexts(each, secrets);
  }
}

/** Adds every text in a value. */
export function addTexts(value: Exact, secrets: Pick<Secrets, 'add'>): void {
  if (typeof value === 'string' && value.length >= shortest) secrets.add(value);
  else if (isArray(value)) for (const element of value) addTexts(element, secrets);
  else if (isObject(value)) for (const member of value.values()) addTexts(member, secrets);
}
