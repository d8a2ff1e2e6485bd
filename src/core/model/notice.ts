/** Messages of a run to its user. */

/** A message to the user. Warnings become errors with `strict`. Messages are masked. */
export interface Notice {
  readonly level: 'debug' | 'info' | 'warning';
  /** Stable, for filters: `missing-response-param`, `unknown-key`, ... */
  readonly code: string;
  readonly message: string;
  readonly job?: string;
  readonly page?: number;
  /** The name of the sink that it is about, in a run with several addresses. */
  readonly sink?: string;
  /**
   * What a warning is about, if its message contains figures that vary: it is shown once a job and subject. Not passed
   * on.
   */
  readonly subject?: string;
}

export type Notify = (notice: Notice) => void;
