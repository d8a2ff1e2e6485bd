/** What `init` loads, in one file for one import, as `checks.ts` for other commands: a run does not load it. */

export { runInit } from '../tools/init/run-init.js';
export * from './engine.js';
