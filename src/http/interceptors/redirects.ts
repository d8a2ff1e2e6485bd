/**
 * Follows up to five redirects by our own rules; each hop passes the interceptors after this one.
 * docs/12-compatibility.md#answers, docs/12-compatibility.md#origins.
 */
import { asExtractError, ExtractError } from '../../core/errors/errors.js';
import type { HttpRequest } from '../../core/model/request.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import { withoutHeader } from '../../core/url/headers.js';
import type { Origins } from '../../core/url/origins.js';
import { queryNames } from '../../core/url/query-string.js';
import { originOf, resolveUrl } from '../../core/url/url.js';
import { readPrefix } from '../body.js';
import type { Interceptor } from '../types.js';

export interface RedirectOptions {
  readonly origins: Pick<Origins, 'trusts'>;
  readonly secrets: Secrets;
}

const maxRedirects = 5;

/** Throws ERR_REDIRECT, ERR_ORIGIN. */
export function redirects({ origins, secrets }: RedirectOptions): Interceptor {
  return (next) => async (request, context) => {
    let response = await next(request, context);
    let from = request;
    for (let target = redirectTarget(response); target !== undefined; target = redirectTarget(response)) {
      await readPrefix(response.body);
      if (context.redirects >= maxRedirects) throw tooMany(describeRequest(request, secrets));
      context.redirects += 1;
      try {
        from = redirected(from, { status: response.status, target }, origins);
      } catch (thrown) {
        throw asExtractError(thrown).at({ request: describeRequest(request, secrets) });
      }
      response = await next(from, context);
    }
    return response;
  };
}

const tooMany = (request: string) =>
  new ExtractError('ERR_REDIRECT', `${request}: more than ${maxRedirects} redirects`, { request });

/** The fields of a response that matter for redirects. */
export interface Redirecting {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Returns the redirect target; undefined: not a redirect. */
export function redirectTarget({ status, headers }: Redirecting): string | undefined {
  if (status < 300 || status > 399) return undefined;
  const { location } = headers;
  const target = typeof location === 'string' ? location : location?.[0];
  return target === '' ? undefined : target;
}

/**
 * Builds the request after a redirect, without credentials. Statuses up to 303 change the method to GET without body
 * (HEAD stays HEAD). Throws ERR_REDIRECT when the target is not an http or https address, ERR_ORIGIN when a body would
 * go to an untrusted origin.
 */
export function redirected(
  request: HttpRequest,
  { status, target }: { readonly status: number; readonly target: string },
  origins: Pick<Origins, 'trusts'>,
): HttpRequest {
  const url = resolve(request.url, target);
  const { body, ...rest } = status <= 303 ? withoutBody(request) : request;
  const leaves = originOf(url) !== originOf(request.url);
  if (body !== undefined && leaves && !origins.trusts(url)) {
    throw new ExtractError(
      'ERR_ORIGIN',
      `a redirect (${status}) would send the request body to ${originOf(url)}, which api.http.credentialOrigins does not list`,
      { status },
    );
  }
  // A configured Host applies to the original origin only.
  const headers = leaves ? withoutHeader(rest.headers, 'Host') : rest.headers;
  return { ...rest, url, headers, linkNames: queryNames(url), ...(body === undefined ? {} : { body }) };
}

function withoutBody({ body: _, ...request }: HttpRequest): HttpRequest {
  const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
  return { ...request, method, headers: withoutHeader(request.headers, 'Content-Type') };
}

function resolve(url: string, target: string): string {
  try {
    return resolveUrl(url, target);
  } catch (thrown) {
    throw new ExtractError('ERR_REDIRECT', 'a redirect leads to a URL that is not http or https', { cause: thrown });
  }
}
