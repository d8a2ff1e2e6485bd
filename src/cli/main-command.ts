/** The command line from arguments to exit code. main.ts passes the process, tests pass their own shell. */

import { asExtractError, ExtractError } from '../core/errors/errors.js';
import type { Notice } from '../core/model/notice.js';
import { usageError } from '../core/util/check-value.js';
import { version } from '../core/util/version.js';
import { parseArguments } from './arguments.js';
import { type Command, type CommandResult, reportResult } from './command.js';
import { commands as builtIn } from './commands.js';
import { commandHelp, findCommand, helpFor, overview } from './help.js';
import { createReport, type Report } from './report.js';
import type { Shell } from './shell.js';

export { processShell } from './shell.js';

/** Runs the command line. Resolves with the exit code; never rejects. */
export async function rxtract(
  args: readonly string[],
  shell: Shell,
  commands: readonly Command[] = builtIn,
): Promise<number> {
  const report = createReport(args, shell);
  const stopFaults = shell.onFault((thrown) => shell.exit(reportResult(report, internalFailure(thrown))));
  const stopWarnings = shell.onWarning((warning) => {
    const notice = nodeWarning(warning);
    if (notice !== undefined) report.notice(notice);
  });
  try {
    const page = await helpOrVersion(args, commands);
    if (page === undefined) return await execute(args, shell, report, commands);
    shell.stdout.write(page);
    return 0;
  } catch (failure) {
    return reportResult(report, { failure });
  } finally {
    stopFaults();
    stopWarnings();
  }
}

/** Returns the help or the version, if it is requested. */
async function helpOrVersion(args: readonly string[], commands: readonly Command[]): Promise<string | undefined> {
  const [first, second] = args;
  if (first === '--version') return `${version}\n`;
  if (first === '--help' || first === '-h' || (first === 'help' && second === undefined)) return overview(commands);
  if (first === 'help') return helpFor(args.slice(1), commands);
  const asks = args.slice(0, lengthBefore(args, '--')).some((word) => word === '--help' || word === '-h');
  return asks ? commandHelp(findCommand(first ?? '', commands)) : undefined;
}

function lengthBefore(args: readonly string[], word: string): number {
  const index = args.indexOf(word);
  return index < 0 ? args.length : index;
}

async function execute(
  [name, ...rest]: readonly string[],
  shell: Shell,
  report: Report,
  commands: readonly Command[],
): Promise<number> {
  if (name === undefined)
    throw usageError(`a command is expected: ${commands.map((each) => each.name).join(', ')} or help`);
  const command = findCommand(name, commands);
  try {
    const ending = await command.execute(parseArguments(rest, command.options), shell, report);
    return reportResult(report, ending, name);
  } catch (failure) {
    return reportResult(report, { failure }, name);
  }
}

/** An uncaught error is an internal error, whatever its code. */
function internalFailure(thrown: unknown): CommandResult {
  const { message } = asExtractError(thrown);
  return { failure: new ExtractError('ERR_INTERNAL', message, { cause: thrown }) };
}

/**
 * Converts a warning of Node to a notice of level `info`: it is not about items, so a strict run must not fail. Returns
 * `undefined` if `tls-verified` reports the same, more precisely.
 */
function nodeWarning({ name, message }: Error): Notice | undefined {
  if (message.includes('NODE_TLS_REJECT_UNAUTHORIZED')) return undefined;
  return { level: 'info', code: 'node-warning', message: `Node.js warns: ${name}: ${message}` };
}
