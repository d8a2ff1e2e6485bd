/** Exit codes, which scripts rely on. docs/05-command-line.md#exit-codes. */
import { isClosedPipe } from '../../sinks/errors.js';
import type { ErrorCode } from '../core/errors/error-codes.js';
import { ExtractError } from '../core/errors/errors.js';
import type { CommandResult } from './command.js';

const twos: ReadonlySet<ErrorCode> = new Set(['ERR_INTERNAL', 'ERR_DATA_FOLDER']);

/**
 * 0: success; 1: the configuration, the command line, the API or a sink failed; 2: an internal error, or a data folder
 * without configuration; 130 and 143: interrupted; 141: the reader of standard output closed it, as for programs that
 * SIGPIPE ends, because nothing was published.
 */
export function exitCode({ failure, signal }: Pick<CommandResult, 'failure' | 'signal'>): number {
  if (signal !== undefined) return signal === 'SIGINT' ? 130 : 143;
  if (failure === undefined) return 0;
  if (isClosedPipe(failure)) return 141;
  return failure instanceof ExtractError && !twos.has(failure.code) ? 1 : 2;
}
