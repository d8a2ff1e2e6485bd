/** The entry of the single executable: the command, or the process of the generated API, which the command forks. */
import { fileURLToPath } from 'node:url';
import { executableUrl, heldModule, importBeside } from './runtime.mjs';

const server = 'server-process.js';

if (process.connected && process.argv[2] === fileURLToPath(new URL(server, executableUrl))) {
  process.argv.splice(1, 1); // as if Node had been started with the file
  importBeside(heldModule(server));
} else import('../../dist/src/cli/main.js');
