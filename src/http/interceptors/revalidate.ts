/**
 * Conditional requests: asks for a page only if it has changed since an earlier run. RFC 9110 13,
 * docs/13-second-run.md#only-if-changed.
 */
import { ExtractError } from '../../core/errors/errors.js';
import type { Validators } from '../../core/model/page.js';
import type { HttpRequest } from '../../core/model/request.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import { hasHeader, headerValue, withHeader } from '../../core/url/headers.js';
import { defined } from '../../core/util/defined.js';
import { digestOf } from '../../core/util/digest.js';
import { bodyOf, readPrefix } from '../body.js';
import type { HttpResponse, Interceptor } from '../types.js';

/**
 * Sends the validators of a page that is known, and notes those of a response. A header of the configuration counts
 * instead, and a redirect leads to another resource: both are left alone. Throws ERR_STATUS for a 304 without a reason.
 */
export function revalidate({ secrets }: { readonly secrets: Secrets }): Interceptor {
  return (next) => async (request, context) => {
    const pages = context.redirects > 0 ? undefined : context.known;
    if (pages === undefined || request.method !== 'GET' || isConditional(request)) return next(request, context);
    const key = keyOf(request, secrets);
    const known = pages.find(key);
    const response = await next(known === undefined ? request : conditional(request, known.validators), context);
    if (response.status === 304) {
      await readPrefix(response.body);
      if (known === undefined) throw unasked(describeRequest(response.request, secrets));
      return { ...response, headers: {}, body: bodyOf([]), revalidated: { key, ...known } };
    }
    const validators = response.status === 200 && !response.isOpenEnded ? validatorsOf(response) : undefined;
    return validators === undefined ? response : { ...response, revalidated: { key, validators } };
  };
}

const conditions = ['If-None-Match', 'If-Modified-Since'] as const;

const isConditional = ({ headers }: HttpRequest): boolean => conditions.some((name) => hasHeader(headers, name));

/** Names what decides about the response, without secrets: those may change. */
function keyOf({ url, headers }: HttpRequest, secrets: Secrets): string {
  const named = [...headers].map(([name, values]) => [name.toLowerCase(), values] as const);
  const sorted = named.filter(([name]) => name !== 'user-agent').sort(([a], [b]) => (a < b ? -1 : 1));
  return digestOf(secrets.mask(JSON.stringify([url, sorted]))).slice(0, 24);
}

function conditional(request: HttpRequest, { etag, lastModified }: Validators): HttpRequest {
  const tagged = etag === undefined ? request.headers : withHeader(request.headers, 'If-None-Match', etag);
  const headers = lastModified === undefined ? tagged : withHeader(tagged, 'If-Modified-Since', lastModified);
  return { ...request, headers };
}

const longest = 1024;

/** Undefined: it has none. */
function validatorsOf({
  headers: { etag, 'last-modified': lastModified, date },
}: HttpResponse): Validators | undefined {
  const isUsable = (value: string | string[] | undefined): value is string =>
    typeof value === 'string' && value !== '' && value.length <= longest && headerValue.test(value);
  const hasDate = isUsable(lastModified) && isSettled(lastModified, date);
  if (!isUsable(etag) && !hasDate) return undefined;
  return defined({ etag: isUsable(etag) ? etag : undefined, lastModified: hasDate ? lastModified : undefined });
}

/** A page may change again within the second of its date, which would not show. RFC 9110 8.8.2.2. */
const isSettled = (lastModified: string, date: string | string[] | undefined): boolean =>
  Date.parse(String(date)) - Date.parse(lastModified) >= 1000;

const unasked = (request: string): ExtractError =>
  new ExtractError(
    'ERR_STATUS',
    `${request} failed with status 304 (Not Modified): the request had no validators, so there is nothing that it could be compared with. A cache on the way may answer so`,
    { request, status: 304 },
  );
