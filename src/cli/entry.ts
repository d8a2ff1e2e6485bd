/** The command line and the process: what main.ts runs, and tests that run the built command in their own process. */
export { rxtract } from './main-command.js';
export { processShell } from './shell.js';
