/**
 * What a command may touch of the process it runs in; tests bring their own, so that nothing else here knows `process`.
 */
import type { Writable } from 'node:stream';

export type Signal = 'SIGINT' | 'SIGTERM';

export interface Shell {
  /** Opened only when asked for: an open standard input keeps a process alive. */
  stdin(): AsyncIterable<Uint8Array | string>;
  /** Data, help and version; nothing else. */
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the way to stop listening. */
  onSignal(hear: (signal: Signal) => void): () => void;
  /**
   * Hears what nobody caught, and of a process that would end before its work did. Returns the way to stop listening.
   */
  onFault(hear: (thrown: unknown) => void): () => void;
  /**
   * Takes what Node itself warns of, in the place of its own lines on standard error. Returns the way to give it back.
   */
  onWarning(hear: (warning: Error) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
}

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The shell of this process. */
export function processShell(): Shell {
  // A reader that went away is heard by whoever writes; without a listener it would end the process with a stack trace.
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
      // Without one (`--no-warnings`) none are wanted.
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
