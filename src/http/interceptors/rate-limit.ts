/** Delays a request until the rates allow it, and applies the rate limit headers of trusted origins. */
import type { RateSlot } from '../../../operators/rate-budget.js';
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

/** Applies to each redirect and each attempt anew. Throws ERR_ABORTED when the walk ends during the wait. */
export function rateLimit({ limiter, origins, secrets }: RateLimitOptions): Interceptor {
  return (next) => (request, context) => {
    const send = async (slot: RateSlot): Promise<HttpResponse> => {
      context.slot = slot;
      context.onRequest(1);
      const asked = () => next(request, context);
      try {
        return await (origins.trusts(request.url) ? limiter.around(asked) : asked());
      } finally {
        context.slot = undefined;
        slot.giveBack();
      }
    };
    const slot = limiter.pass(context.owner ?? login, context.signal);
    if (!(slot instanceof Promise)) return send(slot);
    const refuse = (): never => {
      throw abortedError(describeRequest(request, secrets), context.signal.reason);
    };
    return slot.catch(refuse).then(send);
  };
}
