/**
 * The rate limiter of an API: a request goes out when the rates of the configuration allow it, and no response has said
 * that none remains.
 */
import { asyncScheduler } from 'rxjs';
import { type Limited, limited, type Rate, type Slot } from '../../operators/limited.js';
import { freeSlot } from '../../operators/rate-budget.js';
import { ExtractError } from '../core/errors/errors.js';
import type { Notify } from '../core/model/notice.js';
import { rateLimitHint } from './rate-limit-headers.js';

/** The sender of a request, as far as the rate limiter is concerned: a job, or a login. */
export interface RequestOwner {
  /** Requests of one name go out in order; names take turns. A login has none. */
  readonly name?: string;
  /** Called when a request waits: for at least `ms` if the API said so, else 0. */
  readonly onWait?: (ms: number) => void;
  /** Called when a request that has waited goes out. */
  readonly onPass?: () => void;
  /** What it waits in, if it does; absent: it just waits. */
  readonly standStill?: <T>(until: Promise<T>, signal: AbortSignal) => Promise<T>;
  /** Called for each request that goes out, redirects too. */
  readonly onRequest?: () => void;
}

export interface RateLimiter {
  /**
   * Settles when a request may go out: each redirect and each attempt passes anew. The slot begins as the request is
   * sent, and is given back where it was not. A promise only where it waits; it rejects with the reason of the signal.
   */
  pass(sender: RequestOwner, signal: AbortSignal): Slot | Promise<Slot>;
  /** Counts a request as under way until it was answered, and heeds what the answer says of those that remain. */
  around<T extends { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> }>(
    work: () => Promise<T>,
  ): Promise<T>;
}

export interface RateLimiterOptions {
  readonly rates: readonly Rate[];
  /** The longest wait that an answer may ask for, in ms; what says more is not heeded. Absent: none is. */
  readonly longestHold?: number | undefined;
  /** Called once, with the first wait that an answer asks for. */
  readonly notify?: Notify;
}

/**
 * Requests take unequal times to leave and to arrive, and clocks have whole ms: one that is slow would meet there the
 * one a window after it. So a window is held a hundredth longer, 100 ms at the most.
 */
const withRoom = ({ most, ms }: Rate): Rate => ({ most, ms: ms + Math.min(ms / 100, 100) });

/**
 * Makes the rate limiter of an API: one for all its jobs, logins and iterations, or for several extractions. Throws
 * ERR_USAGE for a rate whose numbers are not whole numbers from 1 up.
 */
export function createRateLimiter({ rates, longestHold = 0, notify = () => {} }: RateLimiterOptions): RateLimiter {
  checkRates(rates);
  const limit: Limited<string | undefined> = limited(rates.map(withRoom));
  let underWay = 0;
  let isSaid = false;

  const heed = ({ headers }: { readonly headers: Parameters<typeof rateLimitHint>[0] }) => {
    const now = asyncScheduler.now();
    const said = longestHold === 0 ? undefined : rateLimitHint(headers, now);
    if (said === undefined || said.until - now > longestHold) return;
    limit.allow(Math.max(0, said.left - underWay), said.until);
  };
  const sayOnce = (ms: number) => {
    if (ms === 0 || isSaid) return;
    isSaid = true;
    notify({ level: 'info', code: 'rate-limit', message: held(ms) });
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
  const isCount = (value: number) => Number.isSafeInteger(value) && value >= 1;
  if (rates.every(({ most, ms }) => isCount(most) && isCount(ms))) return;
  throw new ExtractError('ERR_USAGE', 'rates: expected whole numbers from 1 up as `most` and `ms` of each');
}

const justWait = <T>(until: Promise<T>): Promise<T> => until;

const held = (ms: number): string =>
  `rate limit exhausted (response headers): waiting ${Math.ceil(ms / 1000)} s (reported once). Set \`api.http.rateLimitHeaders\` to false to ignore it`;

/** Lets everything through. */
export const noRateLimit: RateLimiter = {
  pass: () => freeSlot,
  around: (work) => work(),
};
