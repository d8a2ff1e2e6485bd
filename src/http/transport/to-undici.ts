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
 * Creates the function that translates the requests of a transport. User information in the address becomes a Basic
 * `Authorization`, and `encodings` an `Accept-Encoding`, unless there is one. A part of a body (`Range`) has no
 * encoding of its own: it is asked for as it is. The function throws ERR_REQUEST.
 */
export function createTranslator(
  { headersTimeout, bodyTimeout }: ResponseTimeouts,
  encodings: string | undefined,
): (request: HttpRequest) => Dispatcher.RequestOptions {
  const linesOf = createHeaderLines(encodings);
  return ({ method, url, headers, body }) => {
    const { origin, target, userinfo } = splitUrl(url);
    const all = userinfo === undefined || hasHeader(headers, 'Authorization') ? headers : withBasic(headers, userinfo);
    return {
      origin,
      path: target,
      method,
      headers: [...linesOf(all)], // copied: a caller's dispatcher may change its array
      body: body ?? null,
      headersTimeout,
      bodyTimeout,
    };
  };
}

/** Names and values in turn, cached: the pages of a walk share their headers, unless credentials change per request. */
function createHeaderLines(encodings: string | undefined): (headers: Headers) => readonly string[] {
  const known = new WeakMap<Headers, readonly string[]>();
  return (headers) => {
    const cached = known.get(headers);
    if (cached !== undefined) return cached;
    const lines = [...headers].flatMap(([name, values]) => values.flatMap((value) => [name, headerText(name, value)]));
    const asks = encodings !== undefined && !hasHeader(headers, 'Accept-Encoding') && !hasHeader(headers, 'Range');
    const all = asks ? [...lines, 'Accept-Encoding', encodings] : lines;
    known.set(headers, all);
    return all;
  };
}

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
