/** What commands at a board load, in one file for one import, as `checks.ts` for other commands. */

export { loadPostgres } from '../../../sinks/postgres/postgres-client.js';
export { cancelRun, retryRun } from '../../run/shared/change-run.js';
export { missingName, statusOf } from '../../tools/board/find-run.js';
export { partsLeft } from '../../tools/board/parts-left.js';
export { runAsData, runsText, statusAsData, statusText } from '../../tools/board/runs-text.js';
export { openBoard } from './open-board.js';
export { runOnBoard } from './run-on-board.js';
export { startSharedWorker } from './shared-worker.js';
