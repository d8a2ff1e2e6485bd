/**
 * Attempts at one request, for pages and logins: applies `api.retryConfig` with the retry operator.
 * docs/01-configuration.md#retries.
 */
import { asyncScheduler, defer, map, type Observable } from 'rxjs';
import { retryTransient } from '../../operators/retry-transient.js';
import { asExtractError, ExtractError, type Where } from '../core/errors/errors.js';
import type { Notify } from '../core/model/notice.js';
import type { RetryConfig } from '../core/model/retry.js';
import { defined } from '../core/util/defined.js';
import { absenceLeft, type FailedAttempt, retryAfter, retryDelay } from './retry-policy.js';

export interface RetryPolicy {
  readonly retry: RetryConfig;
  readonly notify: Notify;
  /** Retry only a request that was never sent. */
  readonly isOnce?: boolean;
  /** Absent: `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Called before each wait, in ms. */
  readonly onWait?: (ms: number) => void;
}

/**
 * The attempt number, from 0 up. No retry follows the last one, so there a listed status below 400 counts as success.
 */
export interface AttemptInfo {
  readonly number: number;
  readonly last: boolean;
}

export interface RetryResult<T> {
  readonly value: T;
  readonly attempts: number;
}

/** Subscribes to `attempt` until one succeeds or the rules allow no more. Errors carry `where`. */
export const withRetry = <T>(
  policy: RetryPolicy,
  where: Where,
  attempt: (attempts: AttemptInfo) => Observable<T>,
): Observable<RetryResult<T>> =>
  defer(() => {
    let attempts = 0;
    const counted = (info: AttemptInfo) => {
      attempts = info.number + 1;
      return attempt(info);
    };
    return retried(policy, () => where, counted).pipe(map((value) => ({ value, attempts })));
  });

/** The same for one subscription, without attempt numbers. Evaluates `where` when an error occurs. */
export function retried<T>(
  { retry, notify, isOnce = false, random = Math.random, onWait }: RetryPolicy,
  where: () => Where,
  attempt: (attempts: AttemptInfo) => Observable<T>,
): Observable<T> {
  let attempts = 0;
  const once = defer(() => {
    const number = attempts;
    attempts += 1;
    return attempt({ number, last: isOnce || number >= retry.maxRetries });
  });
  const waitFor = (error: ExtractError, number: number): number => {
    // A login has applied its own retries.
    if (error.where.final === true || (isOnce && error.where.unsent !== true)) throw error;
    const moment = { now: asyncScheduler.now(), random };
    const ms = retryDelay(attemptOf(error, retry), number, retry, moment);
    if (ms === undefined) throw error;
    if (ms > retry.maxDelay) throw tooLong(error, ms, retry);
    notify(waiting(error, where(), { number, ms, retry }));
    onWait?.(ms);
    return ms;
  };
  const decide = (thrown: unknown, number: number) => {
    try {
      return waitFor(asExtractError(thrown), number);
    } catch (final) {
      throw asExtractError(final).at({ ...where(), final: true });
    }
  };
  return once.pipe(retryTransient(decide));
}

/** The delay in ms before the first retry of a failed attempt; undefined: it is not retried. */
export const retryDelayOf = (error: ExtractError, retry: RetryConfig): number | undefined =>
  retryDelay(attemptOf(error, retry), 1, retry, { now: asyncScheduler.now(), random: () => 1 });

function attemptOf({ where }: ExtractError, { retryHeader }: RetryConfig): FailedAttempt {
  const { status, transport, retryAfter, absentSince, ruled } = where;
  return {
    absentSince,
    ...defined({ status, transportCode: transport, isRuled: ruled }),
    ...(retryAfter === undefined ? {} : { headers: { [retryHeader]: retryAfter } }),
  };
}

/**
 * The error of a Retry-After that is too long: an earlier retry would be rejected again, so the request fails at once.
 */
function tooLong({ code, message, cause, where }: ExtractError, ms: number, { maxDelay }: RetryConfig): ExtractError {
  const asked = `the response requires a wait of ${seconds(ms)}, more than the ${seconds(maxDelay)} that \`api.retryConfig.maxDelay\` allows`;
  const remedy = 'Run again after that time, or raise `api.retryConfig.maxDelay` so that the run waits.';
  return new ExtractError(code, `${message}; ${asked}`, { ...where, remedy, cause });
}

const seconds = (ms: number): string => `${ms / 1000} s`;

/** The end of a wait of two minutes or more, for the notice. */
const until = (ms: number): string =>
  ms < 120_000 ? '' : `, at ${new Date(asyncScheduler.now() + ms).toISOString().replace(/\.\d+/, '')}`;

interface Wait {
  readonly number: number;
  readonly ms: number;
  readonly retry: RetryConfig;
}

function waiting(error: ExtractError, { job, page }: Where, { number, ms, retry }: Wait) {
  const attempt = attemptOf(error, retry);
  const isAsked = retryAfter(attempt, retry, asyncScheduler.now()) !== undefined;
  const isAbsent = absenceLeft(attempt, retry, asyncScheduler.now()) !== undefined;
  const source = error.where.ruled === true ? 'the rule' : retry.retryHeader;
  const by = isAsked ? `, according to ${source}` : '';
  const most = isAbsent ? untilFirstAnswer(number, retry) : count(number, retry.maxRetries);
  return {
    level: 'info',
    code: 'retry',
    message: `${error.message}; retrying in ${seconds(ms)}${until(ms)}${by} (${most})`,
    ...defined({ job, page }),
  } as const;
}

/** The first notice of a series explains the short wait. */
const untilFirstAnswer = (number: number, { longestAbsence = 0 }: RetryConfig): string => {
  const most = `for ${seconds(longestAbsence)} in total`;
  return number === 1
    ? `${most}, because the server has not responded yet; \`api.retryConfig.maxRetries\` changes this`
    : most;
};

/** The first notice of a series names the option that sets the limit. */
const count = (number: number, most: number): string =>
  number === 1
    ? `1 of ${most}, as \`api.retryConfig.maxRetries\` allows`
    : `${number} of ${most}, ${most - number} left`;
