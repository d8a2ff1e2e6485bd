/** Reports the result of a command, or of one run of a schedule, and resolves it to an exit code. */
import { isClosedPipe } from '../../sinks/errors.js';
import { asExtractError } from '../core/errors/errors.js';
import type { Summary } from '../run/job-stats.js';
import { ofFlags } from './arguments.js';
import { type CommandResult, exitCode } from './command.js';
import { commandRemedy, type Report } from './report.js';
import { runFlagRows } from './run-flags.js';

/** Of a command that has run no jobs. */
const nothing: Summary = { ran: false, jobs: [], outputs: [] };

/** Returns the exit code. A closed standard output is no failure to report. */
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
