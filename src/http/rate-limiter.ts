/** The rate limiter of an API: delays requests by the configured rates and by the rate limit headers of responses. */
import { asyncScheduler } from 'rxjs';
import { type Limited, limited, type Rate, type Slot } from '../../operators/limited.js';
import type { Notify } from '../core/model/notice.js';
import { whole } from '../core/options/kinds.js';
import { valueInCode } from '../core/options/read-options.js';
import { type AnsweredRequest, type HoldRules, holdOf } from './rate-limit-headers.js';

/** The sender of a request, as the rate limiter sees it: a job or a login. */
export interface RequestOwner {
  /** Requests of one name are sent in order; names take turns. A login has no name. */
  readonly name?: string;
  /** Called when a request waits: `ms` is the least wait that the API asked for, else 0. */
  readonly onWait?: (ms: number) => void;
  /** Called when a delayed request is sent. */
  readonly onPass?: () => void;
  /** Wraps the wait; absent: a plain wait. */
  readonly standStill?: <T>(until: Promise<T>, signal: AbortSignal) => Promise<T>;
  /** Called for each request that is sent, redirects included. */
  readonly onRequest?: () => void;
}

/** A place of a request under the rates. */
export interface RequestSlot extends Slot {
  /** Whether it is too late to send the request, which then takes another slot. Asked right before `begin`. */
  isLate?(): boolean;
}

export interface RateLimiter {
  /**
   * Settles when a request may be sent, for each redirect and each attempt anew. The slot begins when the request is
   * sent; the caller returns it if the request is never sent. Returns a promise only if the request must wait; it
   * rejects with the reason of the signal.
   */
  pass(sender: RequestOwner, signal: AbortSignal): RequestSlot | Promise<RequestSlot>;
  /** Counts a request as active until its response, then applies what the response says about the rate. */
  around<T extends AnsweredRequest>(work: () => Promise<T>): Promise<T>;
}

export interface RateLimiterOptions {
  readonly rates: readonly Rate[];
  /** The longest wait that a response may ask for, in ms; longer waits are ignored. Absent: all are ignored. */
  readonly longestHold?: number | undefined;
  /** The header in which a response with the status 429 states how long all requests wait. Default: `Retry-After`. */
  readonly retryHeader?: string | undefined;
  /** Called once, with the first wait that a response asks for. */
  readonly notify?: Notify;
}

/** What a configuration asks of its rate limiter. */
export interface RateLimiterContext extends RateLimiterOptions {
  /** The origin of the API, such as `https://api.example.com`. Of several iterations it is that of the first. */
  readonly key: string;
}

/** Makes the rate limiter of a configuration, once for all its iterations. */
export type MakeRateLimiter = (context: RateLimiterContext) => RateLimiter;

/**
 * Extends a window by 1 percent, at most 100 ms. Request latency varies and clocks have whole ms, so a slow request
 * could arrive together with one of the next window.
 */
export const withRoom = ({ most, ms }: Rate): Rate => ({ most, ms: ms + Math.min(ms / 100, 100) });

/**
 * Creates the rate limiter of an API: one for all its jobs, logins and iterations, or for several extractions. Throws
 * ERR_USAGE for a rate whose numbers are not positive integers.
 */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { rates, notify } = options;
  checkRates(rates);
  const rules = holdRules(options);
  const sayWait = createWaitNotice(notify);
  const limit: Limited<string | undefined> = limited(rates.map(withRoom));
  let underWay = 0;
  let refusedUntil = 0;

  const heed = (response: AnsweredRequest) => {
    const now = asyncScheduler.now();
    const hold = holdOf(response, rules, now);
    if (hold === undefined) return;
    const left = hold.isRefusal ? 0 : Math.max(0, hold.left - underWay);
    // A response that was sent before the refusal does not end it.
    if (now < refusedUntil && (left > 0 || hold.until < refusedUntil)) return;
    if (hold.isRefusal) refusedUntil = hold.until;
    limit.allow(left, hold.until);
  };

  const wait = async ({ name, onWait, onPass, standStill = justWait }: RequestOwner, signal: AbortSignal) => {
    const ms = limit.held();
    sayWait(ms);
    const waits = limit.wait() > 0;
    if (!waits) return limit.acquire(name, signal);
    onWait?.(ms);
    const slot = await standStill(limit.acquire(name, signal), signal);
    onPass?.();
    return slot;
  };

  return {
    pass: (sender, signal) => (signal.aborted ? undefined : limit.take()) ?? wait(sender, signal),
    around(work) {
      underWay += 1;
      return work().then(
        (answer) => {
          underWay -= 1;
          heed(answer);
          return answer;
        },
        (thrown: unknown) => {
          underWay -= 1;
          throw thrown;
        },
      );
    },
  };
}

/** The rules with their defaults. */
export const holdRules = ({ longestHold = 0, retryHeader = 'Retry-After' }: RateLimiterOptions): HoldRules => ({
  longestHold,
  retryHeader,
});

/** Shorter waits, in ms, are not reported: a timer can be a little early. */
const leastReported = 50;

/** Reports the first wait that a response asks for. */
export function createWaitNotice(notify: Notify = () => {}): (ms: number) => void {
  let isSaid = false;
  return (ms) => {
    if (ms < leastReported || isSaid) return;
    isSaid = true;
    notify({ level: 'info', code: 'rate-limit', message: waitMessage(ms) });
  };
}

/** Throws ERR_USAGE for a rate whose numbers are not positive integers. */
export function checkRates(rates: readonly Rate[]): void {
  for (const { most, ms } of rates) {
    valueInCode('rates: most', whole(1), most);
    valueInCode('rates: ms', whole(1), ms);
  }
}

const justWait = <T>(until: Promise<T>): Promise<T> => until;

const waitMessage = (ms: number): string =>
  `rate limit exhausted (response headers): waiting ${Math.ceil(ms / 1000)} s (reported once). Set \`api.http.rateLimitHeaders\` to false to ignore it`;
