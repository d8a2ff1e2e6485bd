/** The process as commands see it. Tests pass their own; no other file here uses `process`. */
import type { Writable } from 'node:stream';

export type Signal = 'SIGINT' | 'SIGTERM';

export interface Shell {
  /** Opened on demand: an open standard input keeps a process alive. */
  stdin(): AsyncIterable<Uint8Array | string>;
  /** Only data, help and version. */
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns a function that stops listening. */
  onSignal(hear: (signal: Signal) => void): () => void;
  /**
   * Listens for uncaught errors, and for the end of the process before its work is done. Returns a function that stops
   * listening.
   */
  onFault(hear: (thrown: unknown) => void): () => void;
  /** Receives the warnings of Node instead of its lines on standard error. Returns a function that restores those. */
  onWarning(hear: (warning: Error) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The shell of this process. */
export function processShell(): Shell {
  // Writers handle a closed pipe; without a listener it would end the process with a stack trace.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

  return {
    stdin: () => process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    onSignal(hear) {
      for (const signal of signals) process.on(signal, hear);
      return () => {
        for (const signal of signals) process.off(signal, hear);
      };
    },
    onFault(hear) {
      const early = () => hear(new Error('the process has nothing left to wait for, but the run has not ended'));
      process.on('uncaughtException', hear).on('beforeExit', early);
      return () => {
        process.off('uncaughtException', hear).off('beforeExit', early);
      };
    },
    onWarning(hear) {
      const printers = process.listeners('warning');
      // Without printers (`--no-warnings`) no warnings are wanted.
      if (printers.length === 0) return () => {};
      process.removeAllListeners('warning').on('warning', hear);
      return () => {
        process.off('warning', hear);
        for (const print of printers) process.on('warning', print);
      };
    },
    exit: (code) => process.exit(code),
  };
}
