/**
 * Lets a request go out when the rates allow it, and heeds what responses of trusted origins say of requests that
 * remain.
 */
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import type { Origins } from '../../core/url/origins.js';
import type { RateLimiter, RequestOwner } from '../rate-limiter.js';
import { abortedError } from '../request-context.js';
import type { HttpResponse, Interceptor } from '../types.js';

export interface RateLimitOptions {
  readonly limiter: RateLimiter;
  readonly origins: Pick<Origins, 'trusts'>;
  readonly secrets: Secrets;
}

const login: RequestOwner = {};

/** Each redirect and each attempt passes anew. Throws ERR_ABORTED when the walk is left while it waits. */
export function rateLimit({ limiter, origins, secrets }: RateLimitOptions): Interceptor {
  return (next) => async (request, context) => {
    const slot = await limiter.pass(context.owner ?? login, context.signal).catch(() => {
      throw abortedError(describeRequest(request, secrets), context.signal.reason);
    });
    context.slot = slot;
    context.onRequest(1);
    const send = (): Promise<HttpResponse> => next(request, context);
    try {
      return await (origins.trusts(request.url) ? limiter.around(send) : send());
    } finally {
      context.slot = undefined;
      slot.giveBack();
    }
  };
}
