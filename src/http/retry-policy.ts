/** When a failed request is retried. docs/01-configuration.md#retries. */
import type { RetryConfig } from '../core/model/retry.js';

/** The outcome of a failed attempt: a response, or a transport failure. Header names in any case. */
export interface FailedAttempt {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly transportCode?: number | undefined;
  /** A rule of the configuration asks for a retry. */
  readonly isRuled?: boolean;
  /**
   * Since when connections to the server have failed, in epoch ms, if it has not answered in this run. Absent: it has
   * answered.
   */
  readonly absentSince?: number | undefined;
}

/** The time of the failure in epoch ms, and a random source with numbers from 0 up to below 1. */
export interface RetryClock {
  readonly now: number;
  readonly random: () => number;
}

/**
 * Returns the delay in ms before retry number `attempt` (from 1 up); undefined: no more retries. Checks statuses before
 * transport codes. The header overrides the back-off of 1, 2, 4, ... seconds; a time in the past means an immediate
 * retry. A result above `maxDelay`: the header asks for a longer wait than allowed. The last wait for an absent server
 * is cut to the rest of `longestAbsence`.
 */
export function retryDelay(
  failure: FailedAttempt,
  attempt: number,
  config: RetryConfig,
  { now, random }: RetryClock,
): number | undefined {
  if (attempt > config.maxRetries || !isRetried(failure, config)) return undefined;
  const left = absenceLeft(failure, config, now) ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return undefined;
  const backOff = Math.min(2 ** (attempt - 1) * 1000, config.maxDelay);
  const delay = config.jitter === 'full' ? Math.round(backOff * random()) : backOff;
  return retryAfter(failure, config, now) ?? Math.min(delay, left);
}

/** How many more ms to wait for a server that has not answered in this run; undefined: no such limit applies. */
export const absenceLeft = (
  { absentSince }: Pick<FailedAttempt, 'absentSince'>,
  { longestAbsence }: Pick<RetryConfig, 'longestAbsence'>,
  now: number,
): number | undefined =>
  absentSince === undefined || longestAbsence === undefined ? undefined : absentSince + longestAbsence - now;

/** The delay in ms that the response asks for; undefined: none. */
export const retryAfter = (
  failure: FailedAttempt,
  { retryHeader }: Pick<RetryConfig, 'retryHeader'>,
  now: number,
): number | undefined => headerDelay(failure.headers ?? {}, retryHeader, now);

const isRetried = (
  { status, transportCode, isRuled = false }: FailedAttempt,
  { codes, transportCodes }: RetryConfig,
): boolean =>
  isRuled ||
  (status !== undefined && codes.has(status)) ||
  (transportCode !== undefined && transportCodes.has(transportCode));

/**
 * Reads a number below yesterday's epoch second as seconds from now, any other as an epoch second, from 1e11 up (the
 * year 5138) as epoch ms. Ignores a delay of exactly 0.
 */
function headerDelay(headers: NonNullable<FailedAttempt['headers']>, name: string, now: number): number | undefined {
  const found = Object.entries(headers).filter(([each]) => each.toLowerCase() === name.toLowerCase());
  const value = found.length === 1 ? found[0]?.[1] : undefined;
  const text = Array.isArray(value) ? (value.length === 1 ? value[0] : undefined) : value;
  if (typeof text !== 'string') return undefined;
  const nowSeconds = Math.floor(now / 1000);
  const seconds = secondsFromNow(text.trim(), nowSeconds);
  if (seconds === undefined || seconds === 0) return undefined;
  return Math.max(0, seconds * 1000);
}

function secondsFromNow(text: string, nowSeconds: number): number | undefined {
  if (/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    const written = Math.trunc(Number(text));
    const value = written < 1e11 ? written : Math.trunc(written / 1000);
    return value < nowSeconds - 86_400 ? value : value - nowSeconds;
  }
  return httpDate(text, nowSeconds);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Parses `Wed, 21 Oct 2015 07:28:00 GMT`, or with an offset such as `+0100`, as seconds from now; `nowSeconds` in epoch
 * seconds. Undefined: not a date.
 */
export function httpDate(text: string, nowSeconds: number): number | undefined {
  const found =
    /^[A-Z][a-z]{2}, (\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) (?:GMT|UTC|Z|([+-])(\d\d):?(\d\d))$/.exec(
      text,
    );
  if (found === null) return undefined;
  const [, day, month = '', year, hour, minute, second, sign, offsetHours = '0', offsetMinutes = '0'] = found;
  const at = Date.UTC(Number(year), months.indexOf(month), Number(day), Number(hour), Number(minute), Number(second));
  if (!months.includes(month)) return undefined;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -60 : 60);
  return at / 1000 - offset - nowSeconds;
}
