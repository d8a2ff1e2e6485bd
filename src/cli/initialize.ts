/** What `init` loads, in one file for one import, as `checks.ts` for other commands: a run does not load it. */

export { askOn, Cancelled, noQuestions } from '../tools/init/ask.js';
export { readLike } from '../tools/init/like.js';
export { nextSteps, stepsAfterLike } from '../tools/init/next-steps.js';
export { checkOut, writeOut } from '../tools/init/out-file.js';
export { findConfiguration } from '../tools/init/run-init.js';
export * from './engine.js';
