/**
 * Lets a request go out when the rates allow it, and heeds what responses of trusted origins say of requests that
 * remain.
 */
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

/** Each redirect and each attempt passes anew. Throws ERR_ABORTED when the walk is left while it waits. */
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
