/** The secrets that a configuration holds as it is written, before anything is evaluated. */
import { type Exact, isArray, isNumber, isObject } from '../json/exact.js';
import type { Headers } from '../model/request.js';
import type { Secrets } from '../model/secrets.js';
import { decode } from '../url/percent.js';

/** Headers whose values say nothing about who asks. */
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

/** Whether the values of a header say nothing about who asks. */
export const isHarmless = (header: string): boolean => harmlessHeaders.has(header.toLowerCase());

/**
 * A store that a login may fill: it does not learn what the configuration itself uses as a name, or a word of one, such
 * as a scope `orders` beside a job `orders`. That says nothing, and nobody could tell masked jobs apart.
 */
export function sparingNames(secrets: Secrets, names: readonly string[]): Secrets {
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

/** Learns all values at and below the keys that begin with `#`. docs/01-configuration.md#expressions. */
export function learnSecretKeys(document: Exact, secrets: Secrets, isSecret = false): void {
  if (isObject(document)) {
    for (const [key, value] of document) learnSecretKeys(value, secrets, isSecret || key.startsWith('#'));
  } else if (isArray(document)) {
    for (const value of document) learnSecretKeys(value, secrets, isSecret);
  } else if (isSecret && (typeof document === 'string' || isNumber(document))) {
    secrets.add(String(document));
  }
}

/**
 * Learns the values of configured headers, but for those that are known to be harmless: they are where API keys are
 * put.
 */
export function learnHeaders(headers: Headers, secrets: Secrets): void {
  for (const [name, values] of headers) {
    if (isHarmless(name)) continue;
    for (const value of values) for (const each of [value, ...credentialsIn(value)]) secrets.add(each);
  }
}

/** Shorter parts, such as a flag of a cookie, would mask half of every message. */
const shortestPart = 4;

/**
 * What of a header is a credential by itself: what follows a scheme, with user and password where that is Basic, and
 * the values of a cookie. A server quotes each of them alone.
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

/**
 * Learns the user information of an address, as it stands and as the Basic header that it becomes; either part can be
 * the key.
 */
export function learnUserInformation(address: string, secrets: Pick<Secrets, 'add'>): void {
  const [, written = ''] = /^(?:[^:/?#]+:)?\/\/([^/?#]*)@/.exec(address) ?? [];
  const text = decode(written.replaceAll('+', '%2B'));
  const colon = text.indexOf(':');
  const parts = colon < 0 ? [] : [text.slice(0, colon), text.slice(colon + 1)];
  if (written === '') return;
  for (const each of [written, text, Buffer.from(text).toString('base64'), ...parts]) secrets.add(each);
}
