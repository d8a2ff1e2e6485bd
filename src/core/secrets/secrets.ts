/** Keeps secrets out of everything that is shown: masks by value, in any encoding. */

import { StringDecoder } from 'node:string_decoder';
import type { HttpRequest } from '../model/request.js';
import type { SecretScope, Secrets } from '../model/secrets.js';
import { queryEntries } from '../url/query-string.js';
import { splitQuery, withQuery } from '../url/url.js';
import { mostAddressShown } from '../util/limits.js';
import { findSecrets } from './search.js';
import { replaceSpans, type Span } from './spans.js';
import { createValueSet, type ValueSet } from './value-set.js';

/** Replaces a secret. */
export const maskText = '***';

/** At least so many secrets of a limited lifetime are remembered. */
const mostRemembered = 1000;

/** Creates an empty store. Masking takes time by the length of the text, not by the number or length of secrets. */
export function createSecrets(): Secrets {
  const configured = createValueSet();
  const passing = createGenerations();
  const ofRequests = createGenerations();
  const scopes = createScopes(passing);
  const ofRun = [configured];
  const lists = createLists(configured.add);
  /** Without secrets of a limited lifetime, as in most runs, no list is made. */
  const all = (): readonly ValueSet[] => {
    lists.refresh();
    const isRunOnly = scopes.isEmpty() && passing.isEmpty() && ofRequests.isEmpty();
    return isRunOnly ? ofRun : [configured, ...scopes.all(), ...passing.all(), ...ofRequests.all()];
  };

  const isSecret = (value: string): boolean => value !== '' && all().some((values) => values.has(value));
  const find = (text: string, end: 'whole' | 'cut'): readonly Span[] => {
    const matchers = text.length === 0 ? [] : all().flatMap((values) => values.matchers());
    return matchers.length === 0 ? [] : findSecrets(text, matchers, end);
  };
  const mask = (text: string, end: 'whole' | 'cut' = 'whole'): string => replaceSpans(text, find(text, end), maskText);

  return {
    add(value, lifetime = 'run') {
      if (value === '') return;
      if (lifetime === 'run') configured.add(value);
      else if (!configured.has(value)) (lifetime === 'passing' ? passing : ofRequests).add(value);
    },
    follow: lists.follow,
    scope: scopes.open,
    isSecret,
    mask,
    find,
    maskUrl: (url) => (all().every(({ size }) => size === 0) ? withoutUser(url) : mask(maskParts(url, isSecret))),
    excerpt(text, length) {
      const masked = mask(text.replace(incompleteEnd, ''), 'cut');
      // Again on one line: a secret with blanks may have been folded at them.
      const line = mask(masked.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim());
      return line.length > length ? `${line.slice(0, length)}...` : line;
    },
  };
}

/** Part of a cut character: it would hide a secret that ends before it. */
const incompleteEnd = /[\uFFFD\uD800-\uDBFF]+$/;

/** Lists that others extend. What is new in them is added before each search. */
function createLists(add: (value: string) => void) {
  const followed = new Set<{ readonly list: () => readonly string[]; known: number }>();
  const refresh = (): void => {
    for (const each of followed) {
      const values = each.list();
      if (values.length > each.known) for (const value of values) add(value);
      each.known = values.length;
    }
  };
  return {
    follow(list: () => readonly string[]): () => void {
      const own = { list, known: 0 };
      followed.add(own);
      return () => {
        refresh();
        followed.delete(own);
      };
    },
    refresh,
  };
}

/** The latest secrets of one lifetime. Two generations bound memory without removing single values from an index. */
function createGenerations() {
  let older = createValueSet();
  let newer = createValueSet();
  return {
    isEmpty: () => newer.size === 0 && older.size === 0,
    all: (): readonly ValueSet[] => [older, newer],
    add(value: string): void {
      if (newer.has(value)) return;
      newer.add(value);
      if (newer.size < mostRemembered) return;
      older = newer;
      newer = createValueSet();
    },
  };
}

/**
 * Values with an owner: all are kept until the owner closes their scope. The scope closed last stays complete because
 * an error may still need it. Of earlier ones, scopes of up to 1,000 values are remembered among the passing ones.
 */
function createScopes(passing: { add(value: string): void }) {
  const open = new Set<ValueSet>();
  let closed: ValueSet | undefined;
  const close = (values: ValueSet): void => {
    if (!open.delete(values) || values.size === 0) return;
    if (closed !== undefined && closed.size <= mostRemembered) for (const value of closed.values()) passing.add(value);
    closed = values;
  };
  return {
    isEmpty: () => open.size === 0 && closed === undefined,
    all: (): readonly ValueSet[] => (closed === undefined ? [...open] : [...open, closed]),
    open(): SecretScope {
      const values = createValueSet();
      open.add(values);
      return { add: values.add, close: () => close(values) };
    },
  };
}

/** Describes a request in a message: `GET https://host/path?query`, masked, the address cut to 500 characters. */
export const describeRequest = (request: Pick<HttpRequest, 'method' | 'url'>, secrets: Secrets): string =>
  `${request.method} ${shortenAddress(secrets.maskUrl(request.url))}`;

/** Masks by position: user information, and query values that are a secret as a whole. */
function maskParts(url: string, isSecret: (value: string) => boolean): string {
  const { address, query } = splitQuery(withoutUser(url));
  if (query === undefined) return address;
  const pairs = queryEntries(`?${query}`).map(({ value, text }) =>
    value !== undefined && isSecret(value) ? `${text.slice(0, text.indexOf('='))}=${maskText}` : text,
  );
  return withQuery(address, pairs.join('&'));
}

const withoutUser = (url: string): string => url.replace(/^([a-z][a-z\d+.-]*:)?\/\/[^/?#]*@/i, `$1//${maskText}@`);

/** Cuts an address that is masked already, so that no secret is cut in two. Never cuts within a character. */
export function shortenAddress(masked: string): string {
  if (masked.length <= mostAddressShown) return masked;
  const start = masked.slice(0, mostAddressShown);
  return `${start.replace(/[\uD800-\uDBFF]$/, '')}...`;
}

/**
 * Decodes UTF-8 that was cut anywhere, up to the last complete character: an incomplete one would hide a secret before
 * it.
 */
export const decodePrefix = (bytes: Uint8Array): string => new StringDecoder('utf8').write(Buffer.from(bytes));
