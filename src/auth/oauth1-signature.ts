/**
 * The signature of OAuth 1.0 for one request, HMAC-SHA1: RFC 5849 3.4, pure.
 * docs/02-login.md#oauth-with-a-token-of-its-own.
 */
import { createHmac } from 'node:crypto';
import type { HttpRequest } from '../core/model/request.js';
import { headerValues } from '../core/url/headers.js';
import { decodeBytes, rawEncode } from '../core/url/percent.js';
import { originOf, splitQuery, splitUrl } from '../core/url/url.js';

/** The application and the user it acts for. */
export interface OAuth1Keys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly token: string;
  readonly tokenSecret: string;
}

/** Values that are new for each request. `timestamp` in seconds. */
export interface OAuth1Moment {
  readonly nonce: string;
  readonly timestamp: string;
}

type Pair = readonly [name: string, value: string];

export interface OAuth1Header {
  /** The value of the `Authorization` header. */
  readonly line: string;
  /** In base64, not percent-encoded. */
  readonly signature: string;
}

/** The parameters of the header are in alphabetical order, which RFC 5849 3.5.1 leaves open. */
export function oauth1Header(request: HttpRequest, keys: OAuth1Keys, { nonce, timestamp }: OAuth1Moment): OAuth1Header {
  const parameters: readonly Pair[] = [
    ['oauth_consumer_key', keys.consumerKey],
    ['oauth_nonce', nonce],
    ['oauth_signature_method', 'HMAC-SHA1'],
    ['oauth_timestamp', timestamp],
    ['oauth_token', keys.token],
    ['oauth_version', '1.0'],
  ];
  const signature = oauth1Signature(signatureBase(request, parameters), keys);
  const written = [...parameters, ['oauth_signature', signature] as const]
    .sort(byBytes)
    .map(([name, value]) => `${name}="${rawEncode(value)}"`);
  return { line: `OAuth ${written.join(', ')}`, signature };
}

/** Signs a base string. RFC 5849 3.4.2. */
export function oauth1Signature(
  base: string,
  { consumerSecret, tokenSecret }: Pick<OAuth1Keys, 'consumerSecret' | 'tokenSecret'>,
): string {
  const key = `${rawEncode(consumerSecret)}&${rawEncode(tokenSecret)}`;
  return createHmac('sha1', key).update(base).digest('base64');
}

/** The text to sign: method, address and all parameters; those of the header are given. RFC 5849 3.4.1. */
export function signatureBase(request: HttpRequest, oauth: readonly Pair[]): string {
  const { query = '' } = splitQuery(request.url);
  const own = oauth.map(([name, value]) => [rawEncode(name), rawEncode(value)] as const);
  const pairs = [...pairsOf(query), ...pairsOf(formOf(request)), ...own];
  const parameters = pairs.sort(byBytes).map(([name, value]) => `${name}=${value}`);
  return [request.method.toUpperCase(), addressOf(request), parameters.join('&')].map(rawEncode).join('&');
}

/**
 * Scheme and host in lower case, without a default port; a configured `Host` counts, as the server sees it. RFC 5849
 * 3.4.1.2.
 */
function addressOf({ url, headers }: HttpRequest): string {
  const { origin, target } = splitUrl(url);
  const [host] = headerValues(headers, 'Host');
  const seen = host === undefined ? origin : originOf(`${origin.replace(/:.*$/, '')}://${host}`);
  return `${seen}${splitQuery(target).address}`;
}

/** Only a form body is signed. RFC 5849 3.4.1.3.1. */
function formOf({ headers, body = '' }: HttpRequest): string {
  const [type = ''] = headerValues(headers, 'Content-Type');
  return /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type) ? body : '';
}

/**
 * The pairs of a query or a form, decoded and encoded again in the signed form, byte for byte. RFC 5849 3.4.1.3.2, 3.6.
 */
function pairsOf(text: string): readonly Pair[] {
  return text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)];
      return [rawEncode(decodeBytes(name)), rawEncode(decodeBytes(value))];
    });
}

/** By name, then by value; both are ASCII. */
const byBytes = ([name, value]: Pair, [otherName, otherValue]: Pair): number =>
  compare(name, otherName) || compare(value, otherValue);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
