/** The interface of a command, its result, and how that is reported and becomes an exit code. */

import { isClosedPipe } from '../../sinks/errors.js';
import type { ErrorCode } from '../core/errors/error-codes.js';
import { asExtractError, ExtractError } from '../core/errors/errors.js';
import type { Summary } from '../run/job-stats.js';
import type { CompletedCommand } from '../tools/completion/candidates.js';
import { ofFlags, type ParsedArguments } from './arguments.js';
import { commandRemedy, type Report } from './report.js';
import { runFlagRows } from './run-flags.js';
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
  /** Failure and summary are reported already. */
  readonly isReported?: true;
}

const twos: ReadonlySet<ErrorCode> = new Set(['ERR_INTERNAL', 'ERR_DATA_FOLDER']);

/**
 * The exit code, which scripts rely on: docs/05-command-line.md#exit-codes. 0: success; 1: the configuration, the
 * command line, the API or a sink failed; 2: an internal error, or a data folder without configuration; 130 and 143:
 * interrupted; 141: the reader of standard output closed it, as for programs that SIGPIPE ends, because nothing was
 * published.
 */
export function exitCode({ failure, signal }: Pick<CommandResult, 'failure' | 'signal'>): number {
  if (signal !== undefined) return signal === 'SIGINT' ? 130 : 143;
  if (failure === undefined) return 0;
  if (isClosedPipe(failure)) return 141;
  return failure instanceof ExtractError && !twos.has(failure.code) ? 1 : 2;
}

/** Of a command that has run no jobs. */
const nothing: Summary = { ran: false, jobs: [], outputs: [] };

/**
 * Reports the result of a command, or of one run of a schedule, and returns its exit code. A closed standard output is
 * no failure to report.
 */
export function reportResult(report: Report, ending: CommandResult, command?: string): number {
  const exit = exitCode(ending);
  if (ending.isReported === true) return exit;
  if (ending.failure !== undefined && !isClosedPipe(ending.failure)) {
    const error = ofFlags(asExtractError(ending.failure), runFlagRows);
    report.error(error, commandRemedy(error, command));
  }
  report.summary(ending.summary ?? nothing, exit);
  return exit;
}
