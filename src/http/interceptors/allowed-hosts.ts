/** Rejects requests to hosts that `image_parameters.allowed_hosts` does not list, redirects included. */
import { ExtractError } from '../../core/errors/errors.js';
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import type { Interceptor } from '../types.js';

export interface AllowedHostsOptions {
  readonly allows: (url: string) => boolean;
  readonly secrets: Secrets;
}

/** Throws ERR_HOST. */
export function allowedHosts({ allows, secrets }: AllowedHostsOptions): Interceptor {
  return (next) => (request, context) => {
    if (allows(request.url)) return next(request, context);
    const masked = describeRequest(request, secrets);
    const message = `${masked}: image_parameters.allowed_hosts does not list this URL`;
    return Promise.reject(new ExtractError('ERR_HOST', message, { request: masked }));
  };
}
