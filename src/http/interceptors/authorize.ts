/** Adds credentials and a signature to requests to trusted origins, and removes configured headers from all others. */
import type { Authenticator } from '../../auth/types.js';
import type { HttpRequest } from '../../core/model/request.js';
import { bareHeaders } from '../../core/url/headers.js';
import type { Origins } from '../../core/url/origins.js';
import { splitUrl } from '../../core/url/url.js';
import type { Interceptor } from '../types.js';
import type { SignRequest } from './aws-signature.js';

export interface AuthorizeOptions {
  readonly authentication: Authenticator | undefined;
  /** The last step of every request, logins included. */
  readonly sign: SignRequest | undefined;
  readonly origins: Origins;
  /** Replaces a configured user agent for untrusted origins. */
  readonly userAgent: string;
}

/** Runs anew for each attempt and each redirect. Throws ERR_FUNCTION, ERR_REQUEST. */
export function authorize({ authentication, sign, origins, userAgent }: AuthorizeOptions): Interceptor {
  return (next) => (request, context) => {
    if (!origins.trusts(request.url)) {
      origins.warn(request.url);
      return next(bare(request, userAgent), context);
    }
    const { credentials } = context;
    const own = credentials === undefined ? request : (authentication?.authorize(request, credentials) ?? request);
    return next(sign === undefined ? own : sign(own), context);
  };
}

/** Removes configured headers, and user information, which an endpoint with a placeholder may contain. */
function bare(request: HttpRequest, userAgent: string): HttpRequest {
  const { origin, target } = splitUrl(request.url);
  return { ...request, url: `${origin}${target}`, headers: bareHeaders(request.headers, userAgent, request.body) };
}
