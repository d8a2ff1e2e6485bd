#!/usr/bin/env node
/** The executable `rxtract`: passes the process to the command line, and ends it when the work is done. */
import { processShell, rxtract } from './main-command.js';

/** How long something that is not awaited, such as an idle connection, may keep the process alive. */
const graceMs = 100;

const shell = processShell();

rxtract(process.argv.slice(2), shell).then((exit) => {
  process.exitCode = exit;
  // The summary is the last line: later warnings of Node are dropped.
  shell.onWarning(() => {});
  // Unreferenced: it fires only if something else keeps the process alive, after all output was flushed.
  setTimeout(() => {
    shell.stdout.write('', () => shell.stderr.write('', () => shell.exit(exit)));
  }, graceMs).unref();
});
