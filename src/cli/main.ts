#!/usr/bin/env node
/** The executable `rxtract`: hands the process to the command line, and ends it when the work is done. */
import { setFlagsFromString } from 'node:v8';
import { rxtract } from './main-command.js';
import { processShell } from './shell.js';

/** How long what nobody waits for, such as an idle connection, may keep the process alive. */
const graceMs = 100;

// What the engine makes lives no longer than a page. Letting the space for young objects grow would cost 20 MB of peak
// and gain no time.
setFlagsFromString('--semi-space-growth-factor=1');

const shell = processShell();

rxtract(process.argv.slice(2), shell).then((exit) => {
  process.exitCode = exit;
  // The summary is the last line: what Node warns of after it is not said.
  shell.onWarning(() => {});
  // Unreferenced, so that it fires only when something else holds the process; then all that was written is let out
  // first.
  setTimeout(() => {
    shell.stdout.write('', () => shell.stderr.write('', () => shell.exit(exit)));
  }, graceMs).unref();
});
