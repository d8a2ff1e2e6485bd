/** Exit codes: what a script may rely on. docs/05-command-line.md#exit-codes. */
import { isClosedPipe } from '../../sinks/errors.js';
import type { ErrorCode } from '../core/errors/error-codes.js';
import { ExtractError } from '../core/errors/errors.js';
import type { CommandResult } from './command.js';

const twos: ReadonlySet<ErrorCode> = new Set(['ERR_INTERNAL', 'ERR_DATA_FOLDER']);

/**
 * 0 done; 1 the configuration, the command line, the API or a sink; 2 a fault of ours, or a data folder without
 * configuration; 130 and 143 interrupted; 141 when the reader of standard output went away: what tools that SIGPIPE
 * ends come to, as nothing was published.
 */
export function exitCode({ failure, signal }: Pick<CommandResult, 'failure' | 'signal'>): number {
  if (signal !== undefined) return signal === 'SIGINT' ? 130 : 143;
  if (failure === undefined) return 0;
  if (isClosedPipe(failure)) return 141;
  return failure instanceof ExtractError && !twos.has(failure.code) ? 1 : 2;
}
