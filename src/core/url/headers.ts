/** Headers of requests: lookup, replacement and merging. */
import type { Headers } from '../model/request.js';

/** A header name is a token. RFC 9110 5.1. */
export const headerName = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;

/**
 * The characters of a value: tab, visible ASCII and the bytes above it. Line breaks would start a new header.
 * RFC 9110 5.5.
 */
export const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

export const noHeaders: Headers = new Map();

/** Returns the values of a header, compared case-insensitively; empty if there are none. */
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

/** Adds `over` to `under`, compared case-insensitively: a header of `over` replaces all values. */
export function replaceHeaders(under: Headers, over: Headers): Headers {
  const others = [...under].filter(([name]) => !hasHeader(over, name));
  return new Map([...others, ...over]);
}

/**
 * Adds `over` to `under`, compared by exact spelling, as configured headers are merged.
 * docs/12-compatibility.md#headers.
 */
export const overlayHeaders = (under: Headers, over: Headers): Headers => new Map([...under, ...over]);

/** Adds those headers of `spare` that are missing, compared case-insensitively. */
export function fillHeaders(headers: Headers, spare: Headers): Headers {
  return new Map([...headers, ...[...spare].filter(([name]) => !hasHeader(headers, name))]);
}

/** The headers for an origin that is not trusted: none of the configured ones. */
export function bareHeaders(headers: Headers, userAgent: string, body: string | undefined): Headers {
  const bare = new Map([['User-Agent', [userAgent]]]);
  return body === undefined ? bare : withHeader(bare, 'Content-Type', ...headerValues(headers, 'Content-Type'));
}

const isSameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
