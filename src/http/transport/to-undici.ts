/** Translates a request for undici, without changing any byte of it. */
import type { Dispatcher } from 'undici';
import { ExtractError } from '../../core/errors/errors.js';
import type { Headers, HttpRequest } from '../../core/model/request.js';
import { hasHeader, withHeader } from '../../core/url/headers.js';
import { decode } from '../../core/url/percent.js';
import { splitUrl } from '../../core/url/url.js';

/** In ms. */
export interface ResponseTimeouts {
  readonly headersTimeout: number;
  readonly bodyTimeout: number;
}

/**
 * Translates a request. User information in the address becomes a Basic `Authorization`, unless there is one. Throws
 * ERR_REQUEST.
 */
export function toUndici(
  { method, url, headers, body }: HttpRequest,
  { headersTimeout, bodyTimeout }: ResponseTimeouts,
): Dispatcher.RequestOptions {
  const { origin, target, userinfo } = splitUrl(url);
  const all = userinfo === undefined || hasHeader(headers, 'Authorization') ? headers : withBasic(headers, userinfo);
  return {
    origin,
    path: target,
    method,
    headers: [...headerLines(all)], // copied: a caller's dispatcher may change its array
    body: body ?? null,
    headersTimeout,
    bodyTimeout,
  };
}

/** Names and values in turn, cached: the pages of a walk share their headers, unless credentials change per request. */
function headerLines(headers: Headers): readonly string[] {
  const known = linesOf.get(headers);
  if (known !== undefined) return known;
  const lines = [...headers].flatMap(([name, values]) => values.flatMap((value) => [name, headerText(name, value)]));
  linesOf.set(headers, lines);
  return lines;
}

const linesOf = new WeakMap<Headers, readonly string[]>();

function withBasic(headers: Headers, userinfo: string): Headers {
  const credentials = decode(userinfo.replaceAll('+', '%2B'));
  return withHeader(headers, 'Authorization', `Basic ${Buffer.from(credentials).toString('base64')}`);
}

/** Encodes a header value: UTF-8 on the wire, one character per byte. Trims white space. */
function headerText(name: string, value: string): string {
  const text = value.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(text)) {
    throw new ExtractError('ERR_REQUEST', `the value of header "${name}" contains a line break or control character`);
  }
  return Buffer.from(text).toString('latin1');
}
