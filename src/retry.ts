/** Whether and when a failed request is tried again: `api.retryConfig` as a pure function. requests.md 2.8. */

/** `retryConfig` after its old flat spellings have been understood. */
export interface RetryConfig {
  /** Retries after the first attempt; 0: none. */
  readonly maxRetries: number;
  /** The response header that carries the delay. */
  readonly retryHeader: string;
  /** Statuses to retry, those of success included. */
  readonly codes: ReadonlySet<number>;
  /** Transport failures to retry, by the numbers of curl. */
  readonly transportCodes: ReadonlySet<number>;
}

export const defaultRetry: RetryConfig = {
  maxRetries: 10,
  retryHeader: 'Retry-After',
  codes: new Set([500, 502, 503, 504, 408, 420, 429]),
  // The reference has no 18; why it is here: decision page 004.
  transportCodes: new Set([28, 6, 7, 35, 52, 56, 18]),
};

/** What came of an attempt: an answer, or a transport failure. Header names in any case. */
export interface Attempt {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly transportCode?: number | undefined;
}

/**
 * The milliseconds to wait before retry number `attempt` (from 1 up); undefined: no more. Statuses are looked up before transport
 * codes. The header wins over the back-off of 1, 2, 4, ... seconds; a time that has passed means at once. `now` in epoch ms.
 */
export function retryDelay(failure: Attempt, attempt: number, config: RetryConfig, now: number): number | undefined {
  if (attempt > config.maxRetries || !isRetried(failure, config)) return undefined;
  const delay = headerDelay(failure.headers ?? {}, config.retryHeader, now) ?? 2 ** (attempt - 1) * 1000;
  return Math.min(delay, longestTimer);
}

/** Node's timers take no more than 31 bits of milliseconds, 24.8 days; a longer one would fire at once. */
const longestTimer = 2 ** 31 - 1;

const isRetried = ({ status, transportCode }: Attempt, { codes, transportCodes }: RetryConfig): boolean =>
  (status !== undefined && codes.has(status)) || (transportCode !== undefined && transportCodes.has(transportCode));

/** A number below yesterday's epoch second counts seconds from now, any other is an epoch second. A delay of exactly 0 says nothing. */
function headerDelay(headers: NonNullable<Attempt['headers']>, name: string, now: number): number | undefined {
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
    const value = Math.trunc(Number(text));
    return value < nowSeconds - 86_400 ? value : value - nowSeconds;
  }
  return httpDate(text, nowSeconds);
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Wed, 21 Oct 2015 07:28:00 GMT`, or with an offset such as `+0100`. */
function httpDate(text: string, nowSeconds: number): number | undefined {
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
