/** What `--record` and `--replay` load, in one file for one import. */
export { recordExchanges } from '../http/recording/record.js';
export { replayExchanges } from '../http/recording/replay.js';
