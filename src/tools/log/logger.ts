/** The interface of both log formats. */
import type { ExtractError } from '../../core/errors/errors.js';
import type { Notice } from '../../core/model/notice.js';
import type { Receipt } from '../../core/model/page.js';
import type { Secrets } from '../../core/model/secrets.js';
import type { Summary } from '../../run/job-stats.js';
import type { DisplayRow } from '../live/model.js';

/** Writes one format of the log. */
export interface Logger {
  notice(notice: Notice): void;
  /** `at` in epoch ms. */
  page(receipt: Receipt, at: number): void;
  /** A job that runs; called now and then. Not with `quiet`. */
  progress(row: DisplayRow): void;
  error(error: ExtractError, remedy: string): void;
  /** Called last. */
  summary(summary: Summary, exit: number): void;
}

export interface LoggerOptions {
  /** Writes a line; its newline is added. */
  readonly write: (line: string) => void;
  readonly mask: Secrets['mask'];
  /** Only warnings and errors; in JSON also the summary. */
  readonly quiet: boolean;
  /** Stack traces and notices for developers of rxtract. */
  readonly debug: boolean;
  readonly color: boolean;
  /** The width of the terminal; absent: there is none. */
  readonly columns?: () => number;
}

/** The stack traces of an error and its causes. */
export function stackTraces(error: Error): readonly string[] {
  const stack = error.stack ?? error.message;
  return error.cause instanceof Error ? [stack, ...stackTraces(error.cause)] : [stack];
}
