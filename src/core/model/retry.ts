/** The rules for retries, as `api.retryConfig` gives them. */

/**
 * Whether and when a failed request is tried again: `api.retryConfig` as a pure function.
 * docs/01-configuration.md#retries.
 */

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
  /** HTTP methods of the requests that are tried again; of any other only what was never sent. Absent: all. */
  readonly methods?: ReadonlySet<string>;
  /** The longest wait, in ms. The back-off grows no further; an answer that asks for more is a failure. */
  readonly maxDelay: number;
  /**
   * `full`: the back-off is any time up to what it would be, so that those who failed together do not come again
   * together.
   */
  readonly jitter: 'none' | 'full';
  /**
   * For how many ms a server is asked again that has not answered once in the run. Absent: as long as `maxRetries`
   * says.
   */
  readonly longestAbsence?: number;
}

export const defaultRetry: RetryConfig = {
  maxRetries: 10,
  retryHeader: 'Retry-After',
  codes: new Set([500, 502, 503, 504, 408, 420, 429]),
  // The reference has no 18; why it is here: decision page 004.
  transportCodes: new Set([28, 6, 7, 35, 52, 56, 18]),
  maxDelay: 86_400_000,
  jitter: 'none',
};

/**
 * `longestAbsence` where `maxRetries` is not written: a wrong address is noticed soon, and a server that is just
 * starting is waited for.
 */
export const shortAbsence = 10_000;
