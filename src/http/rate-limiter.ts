/** The rate limiter of an API: delays requests by the configured rates and by the rate limit headers of responses. */
import { asyncScheduler } from 'rxjs';
import { type Limited, limited, type Rate, type Slot } from '../../operators/limited.js';
import type { Notify } from '../core/model/notice.js';
import { whole } from '../core/options/kinds.js';
import { valueInCode } from '../core/options/read-options.js';
import { rateLimitHint } from './rate-limit-headers.js';

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

export interface RateLimiter {
  /**
   * Settles when a request may be sent, for each redirect and each attempt anew. The slot begins when the request is
   * sent; the caller returns it if the request is never sent. Returns a promise only if the request must wait; it
   * rejects with the reason of the signal.
   */
  pass(sender: RequestOwner, signal: AbortSignal): Slot | Promise<Slot>;
  /** Counts a request as active until its response, then applies the rate limit headers of the response. */
  around<T extends { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> }>(
    work: () => Promise<T>,
  ): Promise<T>;
}

export interface RateLimiterOptions {
  readonly rates: readonly Rate[];
  /** The longest wait that a response may ask for, in ms; longer waits are ignored. Absent: all are ignored. */
  readonly longestHold?: number | undefined;
  /** Called once, with the first wait that a response asks for. */
  readonly notify?: Notify;
}

/**
 * Extends a window by 1 percent, at most 100 ms. Request latency varies and clocks have whole ms, so a slow request
 * could arrive together with one of the next window.
 */
const withRoom = ({ most, ms }: Rate): Rate => ({ most, ms: ms + Math.min(ms / 100, 100) });

/**
 * Creates the rate limiter of an API: one for all its jobs, logins and iterations, or for several extractions. Throws
 * ERR_USAGE for a rate whose numbers are not positive integers.
 */
export function createRateLimiter({ rates, longestHold = 0, notify = () => {} }: RateLimiterOptions): RateLimiter {
  checkRates(rates);
  const limit: Limited<string | undefined> = limited(rates.map(withRoom));
  let underWay = 0;
  let isSaid = false;

  const heed = ({ headers }: { readonly headers: Parameters<typeof rateLimitHint>[0] }) => {
    const now = asyncScheduler.now();
    const hint = longestHold === 0 ? undefined : rateLimitHint(headers, now);
    if (hint === undefined || hint.until - now > longestHold) return;
    limit.allow(Math.max(0, hint.left - underWay), hint.until);
  };
  const sayOnce = (ms: number) => {
    if (ms === 0 || isSaid) return;
    isSaid = true;
    notify({ level: 'info', code: 'rate-limit', message: waitMessage(ms) });
  };

  const wait = async ({ name, onWait, onPass, standStill = justWait }: RequestOwner, signal: AbortSignal) => {
    const ms = limit.held();
    sayOnce(ms);
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

function checkRates(rates: readonly Rate[]): void {
  for (const { most, ms } of rates) {
    valueInCode('rates: most', whole(1), most);
    valueInCode('rates: ms', whole(1), ms);
  }
}

const justWait = <T>(until: Promise<T>): Promise<T> => until;

const waitMessage = (ms: number): string =>
  `rate limit exhausted (response headers): waiting ${Math.ceil(ms / 1000)} s (reported once). Set \`api.http.rateLimitHeaders\` to false to ignore it`;
