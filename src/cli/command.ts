/** The interface of a command. */

import type { Summary } from '../run/job-stats.js';
import type { CompletedCommand } from '../tools/completion/candidates.js';
import type { ParsedArguments } from './arguments.js';
import type { Report } from './report.js';
import type { Shell, Signal } from './shell.js';

export interface Command extends CompletedCommand {
  /** The text of `rxtract NAME --help` after the options. */
  details(): Promise<string>;
  /** Resolves when all is done. May reject with failures that happen before there is a summary. */
  execute(args: ParsedArguments, shell: Shell, report: Report): Promise<CommandResult>;
}

/** The result of a command: a success, unless `failure` or `signal` is present. */
export interface CommandResult {
  /** What its jobs have done. Absent: it has run none, or shows their totals itself. */
  readonly summary?: Summary;
  readonly failure?: unknown;
  readonly signal?: Signal;
}
