/** What a redirect asks for next: pure rules. requests.md 2.7, decision 17. */
import { ExtractError } from '../../core/errors/errors.js';
import type { HttpRequest } from '../../core/model/request.js';
import { withoutHeader } from '../../core/url/headers.js';
import type { Origins } from '../../core/url/origins.js';
import { queryNames } from '../../core/url/query.js';
import { originOf, resolveUrl } from '../../core/url/url.js';

/** An answer as far as redirects are concerned. */
export interface Redirecting {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Where the answer leads; undefined: nowhere, its body is what was asked for. */
export function redirectTarget({ status, headers }: Redirecting): string | undefined {
  if (status < 300 || status > 399) return undefined;
  const { location } = headers;
  const target = typeof location === 'string' ? location : location?.[0];
  return target === '' ? undefined : target;
}

/**
 * The request after a redirect, without credentials. Up to 303 it becomes a GET without body (a HEAD stays one). Throws ERR_REDIRECT when the
 * target is no http or https address, ERR_ORIGIN when a body would leave for an origin that is not trusted.
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
      `a redirect (${status}) would take the body of a request to ${originOf(url)}, which api.http.credentialOrigins does not list`,
      { status },
    );
  }
  // A configured Host was meant for the origin that the request set out to.
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
    throw new ExtractError('ERR_REDIRECT', 'a redirect leads to what is no http or https address', { cause: thrown });
  }
}
