/** A run of a board by its name. */
import type { Board, RunStatus } from '../../checkpoint/board/board.js';
import { usageError } from '../../core/util/check-value.js';
import { didYouMean } from '../../core/util/suggest.js';

/** Rejects with ERR_USAGE if there is none, with the nearest name. */
export async function statusOf(board: Board, name: string): Promise<RunStatus> {
  const status = await board.status(name);
  if (status !== undefined) return status;
  const names = (await board.runs()).map((run) => run.name);
  throw usageError(`there is no run "${name}"${didYouMean(name, names)}`);
}

/** An error that a name is missing, with those that there are. */
export async function missingName(board: Board, command: string): Promise<Error> {
  const names = (await board.runs()).map((run) => run.name);
  const known = names.length === 0 ? 'there are no runs' : `the runs are ${names.slice(-mostNames).join(', ')}`;
  return usageError(`${command} needs the name of a run: ${known}`);
}

const mostNames = 10;
