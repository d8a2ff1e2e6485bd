/** The headers of a browser or of curl that belong into a configuration. */
import type { FoundRequest } from './found-request.js';

type Headers = FoundRequest['headers'];

/** rxtract sends these itself, or they belong to one connection. RFC 9110 7.6.1. */
const ofConnection = set(`accept-encoding connection content-length expect host keep-alive proxy-authorization
  proxy-connection te trailer transfer-encoding upgrade upgrade-insecure-requests`);

/** These make an API respond without a body, or with a part of it. RFC 9110 13.1, 14.2. */
const ofCopies = set(
  `cache-control if-match if-modified-since if-none-match if-range if-unmodified-since pragma range`,
);

/** Browsers add these to every request; APIs do not read them. */
const ofBrowsers = set(`device-memory dnt downlink dpr ect priority rtt save-data viewport-width x-client-data`);

/**
 * Returns the headers without those that rxtract sends itself, that would make a response incomplete, or that only
 * browsers send. A `Referer` is cut to its origin: the rest of an address may be a secret. The last of several headers
 * of one name counts, except for cookies, which are joined.
 */
export function keptHeaders(headers: Headers): Headers {
  const kept = new Map<string, readonly [string, string]>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (isLeftOut(key)) continue;
    const before = key === 'cookie' ? kept.get(key) : undefined;
    kept.set(key, before === undefined ? [name, cut(key, value)] : [name, `${before[1]}; ${value}`]);
  }
  return [...kept.values()];
}

/** A pseudo header of HTTP/2 begins with a colon. RFC 9113 8.3. */
const isLeftOut = (key: string): boolean =>
  ofConnection.has(key) ||
  ofCopies.has(key) ||
  ofBrowsers.has(key) ||
  /^(?::|sec-(?:fetch|ch|gpc|purpose|websocket))/.test(key);

function cut(key: string, value: string): string {
  if (key !== 'referer' || !URL.canParse(value)) return value;
  return `${new URL(value).origin}/`;
}

/** The headers without the one of this name, in any case. */
export const withoutName = (headers: Headers, name: string): Headers =>
  headers.filter(([each]) => each.toLowerCase() !== name.toLowerCase());

/** The value of a header. Undefined: it is missing. */
export const headerOf = (headers: Headers, name: string): string | undefined =>
  headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];

function set(names: string): ReadonlySet<string> {
  return new Set(names.split(/\s+/));
}
