/** Puts credentials and a signature on requests to trusted origins; requests to others lose all that was configured. */
import type { Authenticator } from '../../auth/types.js';
import type { HttpRequest } from '../../core/model/request.js';
import { bareHeaders } from '../../core/url/headers.js';
import type { Origins } from '../../core/url/origins.js';
import { splitUrl } from '../../core/url/url.js';
import type { Interceptor } from '../types.js';
import type { SignRequest } from './aws-signature.js';

export interface AuthorizeOptions {
  readonly authentication: Authenticator | undefined;
  /** The last step of every request, logins too. */
  readonly sign: SignRequest | undefined;
  readonly origins: Origins;
  /** Goes to origins that are not trusted in place of a configured one. */
  readonly userAgent: string;
}

/** Asked anew for each attempt and each hop of a redirect. Throws ERR_FUNCTION, ERR_REQUEST. */
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

/** Without user information, which an endpoint with a placeholder may have. */
function bare(request: HttpRequest, userAgent: string): HttpRequest {
  const { origin, target } = splitUrl(request.url);
  return { ...request, url: `${origin}${target}`, headers: bareHeaders(request.headers, userAgent, request.body) };
}
