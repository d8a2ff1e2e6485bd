/** Refuses requests to hosts that the configuration does not allow, redirects included. */
import type { ErrorCode } from '../../core/errors/error-codes.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import type { Interceptor } from '../types.js';

/** A rule about hosts, with the error of a request that breaks it. */
export interface HostRule {
  readonly allows: (url: string) => boolean;
  readonly code: ErrorCode;
  readonly reason: string;
}

export interface AllowedHostsOptions {
  readonly rules: readonly HostRule[];
  readonly secrets: Secrets;
}

/** The rule of `image_parameters.allowed_hosts`. */
export const listedHosts = (allows: HostRule['allows']): HostRule => ({
  allows,
  code: 'ERR_HOST',
  reason: 'image_parameters.allowed_hosts does not list this URL',
});

/** The rule of the option `hosts`. */
export const chosenHosts = (allows: HostRule['allows']): HostRule => ({
  allows,
  code: 'ERR_HOST',
  reason: 'this host is none of those that were given with --host (in code `hosts`)',
});

/** The rule of docs/decisions/042-private-hosts-are-named.md, as far as the host shows what it is. */
export const namedPrivateHosts = (allows: HostRule['allows']): HostRule => ({
  allows,
  code: 'ERR_PRIVATE_HOST',
  reason: 'this host is private, and the configuration does not name it',
});

/** Throws the error of the first rule that a request breaks. */
export function allowedHosts({ rules, secrets }: AllowedHostsOptions): Interceptor {
  return (next) => (request, context) => {
    const broken = rules.find(({ allows }) => !allows(request.url));
    if (broken === undefined) return next(request, context);
    const masked = describeRequest(request, secrets);
    return Promise.reject(new ExtractError(broken.code, `${masked}: ${broken.reason}`, { request: masked }));
  };
}
