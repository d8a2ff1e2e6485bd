/** What `test`, `doctor` and `login` load, in one file for one import: parts of its own would make more files. */

export { checkRun } from '../tools/doctor/check-run.js';
export { stepText } from '../tools/doctor/step-text.js';
export { logIn } from '../tools/login/log-in.js';
export { createCaseReport } from '../tools/test/case-formats.js';
export { findCases } from '../tools/test/find-cases.js';
export { runCase } from '../tools/test/run-case.js';
export { runCases } from '../tools/test/run-cases.js';
export * from './engine.js';
