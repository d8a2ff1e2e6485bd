/** What `test`, `doctor`, `login` and `shape` load, in one file for one import: each its own would be more files. */

export { readCertificate } from '../tools/certificate/certificate.js';
export { compareTotals, jobsWithTotals } from '../tools/certificate/total-again.js';
export { verifyCertificate } from '../tools/certificate/verify-certificate.js';
export { checkRun } from '../tools/doctor/check-run.js';
export { stepText } from '../tools/doctor/step-text.js';
export { logIn } from '../tools/login/log-in.js';
export { faultNames, faults } from '../tools/rehearse/faults.js';
export { rehearsedLine } from '../tools/rehearse/rehearsal-text.js';
export { isSafe, rehearseConfiguration } from '../tools/rehearse/rehearse-configuration.js';
export { observeRun } from '../tools/shape/observe-run.js';
export { readShapeFile, writeWhole } from '../tools/shape/shape-file.js';
export { shapeAs } from '../tools/shape/shape-forms.js';
export { createCaseReport } from '../tools/test/case-formats.js';
export { findCases } from '../tools/test/find-cases.js';
export { runCase } from '../tools/test/run-case.js';
export { runCases } from '../tools/test/run-cases.js';
export * from './engine.js';
