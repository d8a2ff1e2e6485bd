import type { Headers } from '../model/request.js';

/** What a name is made of: a token. RFC 9110 5.1. */
export const headerName = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

export const noHeaders: Headers = new Map();

/** The values under a name, compared without case; none: an empty list. */
export function headerValues(headers: Headers, name: string): readonly string[] {
  return [...headers].filter(([each]) => isSameName(each, name)).flatMap(([, values]) => values);
}

export const hasHeader = (headers: Headers, name: string): boolean =>
  [...headers.keys()].some((each) => isSameName(each, name));

export const withoutHeader = (headers: Headers, name: string): Headers =>
  new Map([...headers].filter(([each]) => !isSameName(each, name)));

/** Replaces the header in every spelling. */
export const withHeader = (headers: Headers, name: string, ...values: readonly string[]): Headers =>
  new Map([...withoutHeader(headers, name), [name, values]]);

/** Lays `over` on `under`, names compared without case: a stronger source replaces the whole value. */
export function replaceHeaders(under: Headers, over: Headers): Headers {
  const kept = [...under].filter(([name]) => !hasHeader(over, name));
  return new Map([...kept, ...over]);
}

/**
 * Lays `over` on `under` by the exact spelling of the names, as configured headers are merged with each other.
 * docs/12-compatibility.md#headers.
 */
export const overlayHeaders = (under: Headers, over: Headers): Headers => new Map([...under, ...over]);

/** Adds those of `spare` whose names are missing, compared without case. */
export function fillHeaders(headers: Headers, spare: Headers): Headers {
  return new Map([...headers, ...[...spare].filter(([name]) => !hasHeader(headers, name))]);
}

/** The headers that go to an origin that is not trusted: none that were configured. */
export function bareHeaders(headers: Headers, userAgent: string, body: string | undefined): Headers {
  const bare = new Map([['User-Agent', [userAgent]]]);
  return body === undefined ? bare : withHeader(bare, 'Content-Type', ...headerValues(headers, 'Content-Type'));
}

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
