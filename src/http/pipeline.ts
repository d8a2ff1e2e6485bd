/** The order of the interceptors of a request, defined here only. */
import type { Authenticator, Login } from '../auth/types.js';
import type { Notify } from '../core/model/notice.js';
import type { RetryConfig } from '../core/model/retry.js';
import type { Secrets } from '../core/model/secrets.js';
import type { CacheStore } from './cache/store.js';
import { allowedHosts, type HostRule } from './interceptors/allowed-hosts.js';
import { announce } from './interceptors/announce.js';
import { askForPart } from './interceptors/ask-for-part.js';
import { authorize } from './interceptors/authorize.js';
import type { SignRequest } from './interceptors/aws-signature.js';
import { cache } from './interceptors/cache.js';
import { endStatuses } from './interceptors/end-statuses.js';
import { type IgnoredStatuses, ignoreErrors } from './interceptors/ignore-errors.js';
import { rateLimit } from './interceptors/rate-limit.js';
import { redirects } from './interceptors/redirects.js';
import { revalidate } from './interceptors/revalidate.js';
import { pagesOfVerdicts, ruledStatuses } from './interceptors/ruled-statuses.js';
import { status, unauthorized } from './interceptors/status.js';
import type { RateLimiter } from './rate-limiter.js';
import type { ClientRules } from './request-rules.js';
import type { Handler, Interceptor } from './types.js';

/** What the requests of one API share. */
export interface ApiContext {
  readonly rules: ClientRules;
  readonly secrets: Secrets;
  readonly notify: Notify;
  readonly retry: RetryConfig;
  readonly limiter: RateLimiter;
  readonly authentication: Authenticator | undefined;
  /** Signs each request as its last step; absent: no signature. */
  readonly sign: SignRequest | undefined;
  readonly ignoreErrors: IgnoredStatuses;
  /** Whether a pagination lists `endStatuses`. */
  readonly endsByStatus: boolean;
  /** Whether a rule on responses names a status that would fail. */
  readonly rulesFailures: boolean;
  /** A job asks only for pages that have changed. */
  readonly revalidates: boolean;
  /** The response store, and the account the responses belong to; absent: no cache. */
  readonly cache: { readonly store: CacheStore; readonly senderId: string } | undefined;
  /** Decide whether requests may go to a URL. */
  readonly hostRules: readonly HostRule[];
  /** Report each request before it is sent. */
  readonly debug: boolean;
  /** Whether a job requests files. */
  readonly hasFiles: boolean;
}

/** The interceptors of a page request, outermost first. Omits those that this API does not need. */
export function pagePipeline(api: ApiContext): readonly Interceptor[] {
  const { secrets, retry, rules, cache: stored, ignoreErrors: ignored, debug, notify } = api;
  const { origins } = rules;
  return [
    ...when(api.rulesFailures, () => pagesOfVerdicts()),
    ...when(api.endsByStatus, () => endStatuses()),
    ...when(ignored.size > 0, () => ignoreErrors({ ignored, retry, secrets })),
    ...(stored === undefined
      ? []
      : [cache({ ...stored, origins, volatile: retry.codes, secrets, notify: debug ? notify : undefined })]),
    ...sharedPipeline(api, ignored),
  ];
}

/** The interceptors of a login: the same from `announce` on. `accepted`: statuses that the login type reads itself. */
export const loginPipeline = (api: ApiContext, accepted: Login['takes']): readonly Interceptor[] =>
  sharedPipeline(api, accepted ?? none);

function sharedPipeline(api: ApiContext, accepted: IgnoredStatuses): readonly Interceptor[] {
  const { secrets, retry, limiter, hostRules, authentication, sign, debug, notify, rules } = api;
  const { origins, userAgent } = rules;
  const rejection = authentication?.login?.refusal ?? unauthorized;
  return [
    ...when(debug, () => announce({ notify, secrets })),
    status({ retry, accepted, rejection, origins, secrets }),
    ...when(api.rulesFailures, () => ruledStatuses({ retry, secrets })),
    redirects({ origins, secrets }),
    ...when(api.revalidates, () => revalidate({ secrets })),
    allowedHosts({ rules: hostRules, secrets }),
    rateLimit({ limiter, origins, secrets }),
    authorize({ authentication, sign, origins, userAgent }),
    ...when(api.hasFiles, () => askForPart()),
  ];
}

const none: IgnoredStatuses = new Set();

const when = (isNeeded: boolean, make: () => Interceptor): readonly Interceptor[] => (isNeeded ? [make()] : []);

/** Wraps a handler in interceptors, the first one outermost. Runs once per API. */
export const compose = (interceptors: readonly Interceptor[], handler: Handler): Handler =>
  interceptors.reduceRight((next, interceptor) => interceptor(next), handler);
