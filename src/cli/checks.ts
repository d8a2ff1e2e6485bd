/** What `test` and `doctor` load, in one file for one import: parts of its own would make more files of the bundle. */
export { runCase } from './cases/run-case.js';
export { runCases } from './cases/run-cases.js';
export { runDoctor } from './doctor/run-doctor.js';
export * from './engine.js';
