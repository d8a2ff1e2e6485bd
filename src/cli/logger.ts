/** What both kinds of log have in common: what they are told, and what they need for telling it on. */
import type { ExtractError } from '../core/errors/errors.js';
import type { Notice } from '../core/model/notice.js';
import type { Receipt } from '../core/model/page.js';
import type { Summary } from '../run/job-stats.js';

/** The voice of one kind of log. */
export interface Logger {
  notice(notice: Notice): void;
  /** `at` in epoch ms. */
  page(receipt: Receipt, at: number): void;
  error(error: ExtractError, remedy: string): void;
  /** The last thing that is said. */
  summary(summary: Summary, exit: number): void;
}

export interface LoggerOptions {
  /** Takes lines without their newline. */
  readonly write: (line: string) => void;
  readonly mask: (text: string) => string;
  /** Warnings and errors only; in JSON the summary too. */
  readonly quiet: boolean;
  /** Stack traces and notices for who builds rxtract. */
  readonly debug: boolean;
  readonly color: boolean;
}

/** The stack traces of an error and of what caused it. */
export function stacksOf(error: Error): readonly string[] {
  const stack = error.stack ?? error.message;
  return error.cause instanceof Error ? [stack, ...stacksOf(error.cause)] : [stack];
}
