/** What `--record` and `--replay` load, in one file for one import. */
export { recordExchanges } from '../recording/record.js';
export { replayExchanges } from '../recording/replay.js';
