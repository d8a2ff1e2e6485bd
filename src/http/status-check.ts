/** One request and its answer: it goes out with credentials and a signature on each hop, and comes back checked. */

import type { Authentication, Credentials, RejectionRule } from '../auth/types.js';
import type { ExtractError } from '../core/errors/errors.js';
import type { HttpRequest } from '../core/model/request.js';
import type { Secrets } from '../core/model/secrets.js';
import { beginningOf } from '../core/secrets/beginning-of.js';
import { describeRequest } from '../core/secrets/secrets.js';
import type { SignRequest } from './aws-signature.js';
import { type IgnoredStatuses, peek, unpeek } from './ignore-errors.js';
import type { RequestOwner } from './rate-limiter.js';
import type { RequestRules } from './request.js';
import { type Reply, type Send, statusError } from './transport/transport.js';
import type { RetryPolicy } from './with-retry.js';

/** What is tried again, and what is no failure then. */
export interface Policy extends RetryPolicy {
  readonly ignoreErrors: IgnoredStatuses;
}

/** One attempt at a request. */
export interface Outgoing {
  /** After this attempt there is no other: a listed status below 400 counts as success. */
  readonly last: boolean;
  readonly signal: AbortSignal;
  /** Hears of requests as they go out, those that follow a redirect too. */
  readonly count: (requests: number) => void;
  /** Who stands at the gate; absent: a login. */
  readonly sender?: RequestOwner;
}

export interface Exchanging extends Outgoing {
  /** A login goes out without. */
  readonly credentials?: Credentials;
  /** Statuses that are no failure. */
  readonly ignored?: IgnoredStatuses | undefined;
}

/** Throws ERR_STATUS for an answer that may be tried again, or is a failure, and what `send` throws. */
export type Exchange = (request: HttpRequest, exchanging: Exchanging) => Promise<Reply>;

export interface ExchangeNeeds {
  /** Every request is told, before its credentials are put on. */
  readonly debug: boolean;
  readonly policy: Policy;
  readonly rules: RequestRules;
  readonly send: Send;
  readonly secrets: Secrets;
  readonly authentication: Authentication | undefined;
  /** The last step of every request, logins too. */
  readonly sign: SignRequest | undefined;
}

/** Pages and logins alike. */
export function createExchange(needs: ExchangeNeeds): Exchange {
  const { debug, policy, rules, send, secrets, authentication, sign } = needs;
  return async (request, { credentials, last, signal, count, ignored, sender }) => {
    if (debug) policy.notify({ level: 'info', code: 'request', message: describeRequest(request, secrets) });
    const authorize = (each: HttpRequest) => {
      const own = credentials === undefined ? each : (authentication?.authorize(each, credentials) ?? each);
      return sign?.(own) ?? own;
    };
    const reply = await send.send(request, authorize, signal, { ...sender, onRequest: () => count(1) });
    const isOurs = credentials !== undefined && rules.origins.trusts(reply.url);
    const refusal = isOurs ? (authentication?.login?.refusal ?? unauthorized) : nothing;
    return checked(reply, { policy, secrets, last, ignored, refusal });
  };
}

const unauthorized: RejectionRule = { statuses: new Set([401]) };
const nothing: RejectionRule = { statuses: new Set() };

interface Checking {
  readonly policy: RetryPolicy;
  readonly secrets: Secrets;
  readonly last: boolean;
  readonly ignored: IgnoredStatuses | undefined;
  /** Of our credentials, where it went out with them. */
  readonly refusal: RejectionRule;
}

/** Lets a good answer through; what may be tried again, or is a failure, is thrown as ERR_STATUS. */
async function checked(reply: Reply, { policy: { retry }, secrets, last, ignored, refusal }: Checking): Promise<Reply> {
  const isRetried = retry.codes.has(reply.status) && !last;
  const isGood = reply.status < 400 || ignored?.has(reply.status) === true;
  if (isGood && !isRetried) return unlessRefused(reply, refusal, secrets);
  const start = await reply.start();
  const retryAfter = reply.headers[retry.retryHeader.toLowerCase()];
  const isRefused = refusal.statuses.has(reply.status) || refuses(refusal, Buffer.from(start));
  throw (await shown(reply, start, secrets)).at({
    ...(typeof retryAfter === 'string' ? { retryAfter } : {}),
    ...(isRefused ? { refused: true as const } : {}),
  });
}

/** The body has been begun with already. */
const shown = (reply: Reply, start: string, secrets: Secrets): Promise<ExtractError> =>
  statusError({ ...reply, start: async () => start }, secrets);

/** How far a body is looked at for a text that refuses. */
const lookedBytes = 4096;

const refuses = ({ text }: RejectionRule, start: Buffer): boolean =>
  text !== undefined && start.toString('utf8', 0, lookedBytes).includes(text);

/** Throws ERR_STATUS for an answer that would be good, were it not for its text. */
async function unlessRefused(reply: Reply, refusal: RejectionRule, secrets: Secrets): Promise<Reply> {
  if (refusal.text === undefined) return reply;
  const beginning = await peek(reply.body, lookedBytes);
  const start = Buffer.concat(beginning.chunks);
  if (!refuses(refusal, start)) return { ...reply, body: unpeek(beginning) };
  await beginning.rest?.return?.();
  throw (await shown(reply, beginningOf(start), secrets)).at({ refused: true });
}
