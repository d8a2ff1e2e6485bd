/** Delays a request until the rates allow it, and applies the rate limit headers of trusted origins. */
import type { Secrets } from '../../core/model/secrets.js';
import { describeRequest } from '../../core/secrets/secrets.js';
import type { Origins } from '../../core/url/origins.js';
import type { RateLimiter, RequestOwner, RequestSlot } from '../rate-limiter.js';
import { abortedError } from '../request-context.js';
import type { HttpResponse, Interceptor } from '../types.js';

export interface RateLimitOptions {
  readonly limiter: RateLimiter;
  readonly origins: Pick<Origins, 'trusts'>;
  readonly secrets: Secrets;
}

const login: RequestOwner = {};

/**
 * Applies to each redirect and each attempt anew. Throws ERR_ABORTED when the walk ends during the wait, and what the
 * limiter throws.
 */
export function rateLimit({ limiter, origins, secrets }: RateLimitOptions): Interceptor {
  return (next) => (request, context) => {
    const asked = () => next(request, context);
    const send = async (slot: RequestSlot): Promise<HttpResponse> => {
      context.slot = slot;
      context.onRequest(1);
      try {
        return await (origins.trusts(request.url) ? limiter.around(asked) : asked());
      } catch (thrown) {
        if (!context.isTooLate) throw thrown;
      } finally {
        context.slot = undefined;
        slot.giveBack();
      }
      context.isTooLate = false;
      context.onRequest(-1);
      return pass();
    };
    const refuse = (thrown: unknown): never => {
      if (!context.signal.aborted) throw thrown;
      throw abortedError(describeRequest(request, secrets), context.signal.reason);
    };
    const pass = (): Promise<HttpResponse> => {
      const slot = limiter.pass(context.owner ?? login, context.signal);
      return slot instanceof Promise ? slot.catch(refuse).then(send) : send(slot);
    };
    return pass();
  };
}
