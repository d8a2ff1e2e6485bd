/** Attempts at one request, pages and logins alike: `api.retryConfig` over the retry operator. requests.md 2.8. */
import { asyncScheduler, catchError, defer, map, type Observable } from 'rxjs';
import { retryTransient } from '../operators/retry-transient.js';
import { asExtractError, type ExtractError, type Where } from './errors.js';
import { type Attempt, type RetryConfig, retryDelay } from './retry.js';
import type { Notify } from './types.js';

export interface TryPolicy {
  readonly retry: RetryConfig;
  readonly notify: Notify;
  /** Hears of each wait, in ms. */
  readonly onWait?: (ms: number) => void;
}

/** Which attempt this is, from 0 up; after the last one nothing is tried again, so a listed status below 400 is then a success. */
export interface Attempts {
  readonly number: number;
  readonly last: boolean;
}

export interface Tried<T> {
  readonly value: T;
  readonly attempts: number;
}

/** Subscribes to `attempt` until one succeeds or the rules say no more. Errors carry `where`. */
export function tryAgain<T>(
  { retry, notify, onWait }: TryPolicy,
  where: Where,
  attempt: (attempts: Attempts) => Observable<T>,
): Observable<Tried<T>> {
  return defer(() => {
    let attempts = 0;
    const once = defer(() => {
      const number = attempts;
      attempts += 1;
      return attempt({ number, last: number >= retry.maxRetries });
    });

    const decide = (thrown: unknown, number: number) => {
      const error = asExtractError(thrown);
      // A login has counted its own attempts.
      if (error.where.final === true) return undefined;
      return retryDelay(attemptOf(error, retry), number, retry, asyncScheduler.now());
    };
    const say = (thrown: unknown, number: number, ms: number) => {
      notify(waiting(asExtractError(thrown), where, number, retry.maxRetries, ms));
      onWait?.(ms);
    };
    return once.pipe(
      retryTransient(decide, say),
      catchError((thrown) => {
        throw asExtractError(thrown).at({ ...where, final: true });
      }),
      map((value) => ({ value, attempts })),
    );
  });
}

function attemptOf({ where: { status, transport, retryAfter } }: ExtractError, { retryHeader }: RetryConfig): Attempt {
  return {
    ...(status === undefined ? {} : { status }),
    ...(transport === undefined ? {} : { transportCode: transport }),
    ...(retryAfter === undefined ? {} : { headers: { [retryHeader]: retryAfter } }),
  };
}

function waiting(error: ExtractError, { job, page }: Where, number: number, most: number, ms: number) {
  return {
    level: 'info',
    code: 'retry',
    message: `${error.message}; trying again in ${ms / 1000} s (${count(number, most)})`,
    ...(job === undefined ? {} : { job }),
    ...(page === undefined ? {} : { page }),
  } as const;
}

/** The first line of a series tells where the number comes from. */
const count = (number: number, most: number): string =>
  number === 1
    ? `1 of ${most}, as \`api.retryConfig.maxRetries\` allows`
    : `${number} of ${most}, ${most - number} left`;
