#!/usr/bin/env node
/** The executable `rxtract`: passes the process to the command line, and ends it when the work is done. */
import { processShell, rxtract } from './main-command.js';

/** How long something that is not awaited, such as an idle connection, may keep the process alive. */
const graceMs = 100;

/** Signals with their exit codes. The system ignores them in process 1, as in a container, unless it listens. */
const endings = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

const shell = processShell();

if (process.pid === 1) {
  for (const [signal, exit] of endings) {
    process.on(signal, () => {
      // A command that listens too ends by itself.
      if (process.listenerCount(signal) === 1) shell.exit(exit);
    });
  }
}

rxtract(process.argv.slice(2), shell).then((exit) => {
  process.exitCode = exit;
  // The summary is the last line: later warnings of Node are dropped.
  shell.onWarning(() => {});
  // Unreferenced: it fires only if something else keeps the process alive, after all output was flushed.
  setTimeout(() => {
    shell.stdout.write('', () => shell.stderr.write('', () => shell.exit(exit)));
  }, graceMs).unref();
});
