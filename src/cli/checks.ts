/** What `test` and `doctor` load, in one file for one import: parts of its own would make more files of the bundle. */

export { runDoctor } from '../tools/doctor/run-doctor.js';
export { runCase } from '../tools/test/run-case.js';
export { runCases } from '../tools/test/run-cases.js';
export * from './engine.js';
