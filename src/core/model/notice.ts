/** What a user should know of a run. */

/** Something a user should know. Warnings become errors under `strict`. Messages are masked. */
export interface Notice {
  readonly level: 'debug' | 'info' | 'warning';
  /** Stable, for filters: `missing-response-param`, `unknown-key`, ... */
  readonly code: string;
  readonly message: string;
  readonly job?: string;
  readonly page?: number;
  /** What a warning is said of, once a job, where its message has figures that differ; it is not passed on. */
  readonly subject?: string;
}

export type Notify = (notice: Notice) => void;
