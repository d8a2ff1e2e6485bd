/** The state of a shared run: what its jobs remember of earlier runs. */
import type { Board, StateOfRun } from '../../checkpoint/board/board.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { RunMemory } from '../../incremental/run-memory.js';

export interface FoundState {
  /** `RunSpec.state`. */
  readonly ofRun: StateOfRun;
  readonly remembered: RunMemory;
}

/**
 * Reads the state for a run of the name. Undefined: it has none. Rejects with ERR_STATE if another run has it that has
 * not ended: both would begin at the same values.
 */
export async function stateOf(
  board: Pick<Board, 'state'>,
  stateName: string | undefined,
  run: string,
): Promise<FoundState | undefined> {
  if (stateName === undefined) return undefined;
  const { name, generation, remembered, usedBy = run } = await board.state(stateName);
  if (usedBy === run) return { ofRun: { name, generation }, remembered };
  throw new ExtractError('ERR_STATE', `the run "${usedBy}" has the state "${name}", and has not ended`);
}
