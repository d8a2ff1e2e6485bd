/** Cancels a run of a board, and lets workers take failed tasks again. Both say why they cannot. */
import type { Board, RunStatus } from '../../checkpoint/board/board.js';
import { usageError } from '../../core/util/check-value.js';

type ChangedBoard = Pick<Board, 'status' | 'cancel' | 'retry'>;

/** Rejects with ERR_USAGE if the run was removed. */
export async function statusOfRun(board: Pick<Board, 'status'>, name: string): Promise<RunStatus> {
  const status = await board.status(name);
  if (status === undefined) throw usageError(`the run "${name}" was removed from the board`);
  return status;
}

/** Rejects with ERR_USAGE if it is not there, is done, or a process publishes it. */
export async function cancelRun(board: ChangedBoard, name: string): Promise<void> {
  if (await board.cancel(name)) return;
  await mustNotBeDone(board, name, 'cancel');
  throw usageError(`the run "${name}" is being published, and cannot be cancelled any more`);
}

/** Rejects with ERR_USAGE if it is not there, is done, or a later run has its state. */
export async function retryRun(board: ChangedBoard, name: string): Promise<void> {
  if (await board.retry(name)) return;
  await mustNotBeDone(board, name, 'retry');
  throw usageError(
    `the state of the run "${name}" has changed since it was submitted, by a later run or by rxtract state: submit a new run`,
  );
}

async function mustNotBeDone(board: ChangedBoard, name: string, what: string): Promise<void> {
  const { state } = await statusOfRun(board, name);
  if (state === 'done') throw usageError(`the run "${name}" is done: there is nothing to ${what}`);
}
