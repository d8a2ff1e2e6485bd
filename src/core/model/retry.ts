/** The rules for retries: `api.retryConfig` as plain data. docs/01-configuration.md#retries. */

/** `retryConfig`, with its old flat spellings resolved. */
export interface RetryConfig {
  /** Retries after the first attempt; 0: none. */
  readonly maxRetries: number;
  /** The response header that states the delay. */
  readonly retryHeader: string;
  /** Statuses to retry; statuses of success are allowed. */
  readonly codes: ReadonlySet<number>;
  /** Transport failures to retry, by curl's numbers. */
  readonly transportCodes: ReadonlySet<number>;
  /** HTTP methods to retry; other requests are retried only if nothing was sent. Absent: all. */
  readonly methods?: ReadonlySet<string>;
  /** The longest wait, in ms. The back-off stops growing there; a response that asks for a longer wait is a failure. */
  readonly maxDelay: number;
  /**
   * `full`: the delay is random, up to the back-off, so that requests that failed together are not repeated together.
   */
  readonly jitter: 'none' | 'full';
  /** For how many ms to retry a server that has not responded once in the run. Absent: as `maxRetries` says. */
  readonly longestAbsence?: number;
}

export const defaultRetry: RetryConfig = {
  maxRetries: 10,
  retryHeader: 'Retry-After',
  codes: new Set([500, 502, 503, 504, 408, 420, 429]),
  // 18 (a cut response) is not in Generic Extractor's list: docs/decisions/004.
  transportCodes: new Set([28, 6, 7, 35, 52, 56, 18]),
  maxDelay: 86_400_000,
  jitter: 'none',
};

/** `longestAbsence` if `maxRetries` is not set: a wrong URL fails soon, but a server that is starting has time. */
export const shortAbsence = 10_000;
