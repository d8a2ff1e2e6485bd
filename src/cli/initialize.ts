/** What `init` loads, in one file for one import, as `checks.ts` for other commands: a run does not load it. */
export * from './engine.js';
export { runInit } from './init/run-init.js';
