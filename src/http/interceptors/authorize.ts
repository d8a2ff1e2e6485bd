/** Adds credentials and a signature to requests to trusted origins, and removes configured headers from all others. */
import type { Authenticator, Credentials } from '../../auth/types.js';
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
export function authorize(options: AuthorizeOptions): Interceptor {
  return (next) => (request, context) => {
    const { isTrusted, sent } = takeLastSteps(request, context.credentials, options);
    if (!isTrusted) options.origins.warn(request.url);
    return next(sent, context);
  };
}

/** A request after its last steps. */
export interface FinishedRequest {
  /** Its origin is one that the configuration names. */
  readonly isTrusted: boolean;
  /** With credentials, before the signature. */
  readonly authorized: HttpRequest;
  readonly sent: HttpRequest;
}

/** Takes the last steps of a request; a plan takes them without sending it. Throws ERR_FUNCTION, ERR_REQUEST. */
export function takeLastSteps(
  request: HttpRequest,
  credentials: Credentials | undefined,
  { authentication, sign, origins, userAgent }: AuthorizeOptions,
): FinishedRequest {
  if (!origins.trusts(request.url)) {
    const sent = bare(request, userAgent);
    return { isTrusted: false, authorized: sent, sent };
  }
  const authorized = credentials === undefined ? request : (authentication?.authorize(request, credentials) ?? request);
  return { isTrusted: true, authorized, sent: sign === undefined ? authorized : sign(authorized) };
}

/** Removes configured headers, and user information, which an endpoint with a placeholder may contain. */
function bare(request: HttpRequest, userAgent: string): HttpRequest {
  const { origin, target } = splitUrl(request.url);
  return { ...request, url: `${origin}${target}`, headers: bareHeaders(request.headers, userAgent, request.body) };
}
