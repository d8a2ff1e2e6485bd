/**
 * The request pipeline without credentials and status check, for tests of redirects, rates and the transport; its
 * responses can be pulled.
 */

import { lastValueFrom } from 'rxjs';
import { freeSlot } from '../../operators/rate-budget.js';
import { asExtractError, type ExtractError } from '../../src/core/errors/errors.js';
import type { HttpRequest } from '../../src/core/model/request.js';
import { defaultRetry } from '../../src/core/model/retry.js';
import { createSecrets } from '../../src/core/secrets/secrets.js';
import { sourceOf } from '../../src/core/util/byte-source.js';
import { readPrefix } from '../../src/http/body.js';
import { allowedHosts, type HostRule } from '../../src/http/interceptors/allowed-hosts.js';
import { type AuthorizeOptions, authorize } from '../../src/http/interceptors/authorize.js';
import { rateLimit } from '../../src/http/interceptors/rate-limit.js';
import { redirects } from '../../src/http/interceptors/redirects.js';
import { status } from '../../src/http/interceptors/status.js';
import { compose } from '../../src/http/pipeline.js';
import type { RateLimiter, RequestOwner } from '../../src/http/rate-limiter.js';
import { createRequestScope } from '../../src/http/request-context.js';
import { createTransport, type TransportOptions } from '../../src/http/transport/transport.js';
import type { HttpResponse, Interceptor } from '../../src/http/types.js';
import { chunksOf } from '../support/chunks-of.js';
import { failure } from '../support/failure.js';

export interface SenderOptions extends Omit<TransportOptions, 'privateHosts'> {
  readonly privateHosts?: TransportOptions['privateHosts'];
  readonly origins: AuthorizeOptions['origins'];
  readonly hostRules?: readonly HostRule[];
  readonly userAgent: string;
  readonly gate?: RateLimiter;
  readonly unreadTimeout?: number;
}

export interface Reply extends Omit<HttpResponse, 'body'> {
  readonly url: string;
  readonly cancel: () => void;
  readonly body: AsyncIterable<Uint8Array>;
  discard(): Promise<void>;
  start(): Promise<string>;
}

export interface Sender {
  send(
    request: HttpRequest,
    authorize: (request: HttpRequest) => HttpRequest,
    signal: AbortSignal,
    owner?: RequestOwner & { readonly onRequest?: () => void },
  ): Promise<Reply>;
  close(): Promise<void>;
}

/** No test of the transport is about addresses, but those that give their own rules. */
export const anyAddress: TransportOptions['privateHosts'] = { allowsAddress: () => true, reached: () => undefined };

/** Passes every request at once. */
const noRateLimit: RateLimiter = { pass: () => freeSlot, around: (work) => work() };

export function createSender({
  hostRules = [],
  userAgent,
  gate = noRateLimit,
  unreadTimeout = 2_000,
  ...options
}: SenderOptions): Sender {
  const { origins, secrets } = options;
  const transport = createTransport({ privateHosts: anyAddress, ...options });
  const interceptors = (own: (request: HttpRequest) => HttpRequest): readonly Interceptor[] => [
    redirects({ origins, secrets }),
    allowedHosts({ rules: hostRules, secrets }),
    rateLimit({ limiter: gate, origins, secrets }),
    authorize({ authentication: { endpoints: [], authorize: own }, sign: undefined, origins, userAgent }),
  ];
  return {
    send: (request, own, signal, owner = {}) =>
      new Promise((resolve, reject) => {
        const send = compose(interceptors(own), transport.send);
        const credentials = { headers: new Map(), query: new Map(), expiresAt: Number.POSITIVE_INFINITY };
        const attempt = { credentials, isLast: false, onRequest: () => owner.onRequest?.(), owner };
        const scope = createRequestScope();
        if (signal.aborted) scope.cancel();
        scope
          .attempt(attempt, (context) => {
            // The body is read after the attempt.
            signal.addEventListener('abort', () => context.cancel(signal.reason));
            return send(request, context);
          })
          .subscribe({ next: (response) => resolve(replyOf(response, unreadTimeout)), error: reject });
        signal.addEventListener('abort', scope.cancel);
      }),
    close: transport.close,
  };
}

const replyOf = (response: HttpResponse, ms: number): Reply => {
  const { status, headers, contentType, request, isOpenEnded, body } = response;
  return {
    ...{ status, headers, contentType, request, isOpenEnded },
    url: request.url,
    cancel: () => body.cancel(),
    body: chunksOf(body),
    discard: async () => void (await readPrefix(body, ms)),
    start: async () => (await readPrefix(body, ms)).toString(),
  };
};

/** The error of a response, as the status interceptor makes it. */
export async function statusError(reply: Reply, secrets = createSecrets()): Promise<ExtractError> {
  const { body, ...head } = reply;
  const judged = status({
    ...{ retry: { ...defaultRetry, codes: new Set() }, accepted: new Set(), rejection: { statuses: new Set() } },
    ...{ origins: { trusts: () => true }, secrets },
  })(async () => ({ ...head, body: { ...sourceOf(body), cancel: reply.cancel } }));
  const judging = createRequestScope().attempt({ isLast: true, onRequest: () => {} }, (context) =>
    judged(reply.request, context),
  );
  return asExtractError(await failure(lastValueFrom(judging)));
}
