/** Recordings in files, in one file for one import: a run loads it only with `--record` or `--replay`. */
export { recordExchanges } from './record.js';
export { replayExchanges } from './replay.js';
