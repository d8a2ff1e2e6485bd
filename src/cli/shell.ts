/** The process as commands see it, and what its terminal can show. Tests pass their own shell. */

import { Readable, Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { cacheFolder } from '../core/util/cache-folder.js';
import { cacheCode, ownProcess } from './code-cache.js';

export type Signal = 'SIGINT' | 'SIGTERM';

export interface Shell {
  /** Opened on demand: an open standard input keeps a process alive. */
  stdin(): AsyncIterable<Uint8Array | string>;
  /** Standard input and standard error are a terminal: a question can be asked. */
  readonly isInteractive: boolean;
  /** Only data, help, version, and the table of `bench`. */
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns a function that stops listening. */
  onSignal(listener: (signal: Signal) => void): () => void;
  /**
   * Listens for uncaught errors, and for the end of the process before its work is done. Returns a function that stops
   * listening.
   */
  onFault(listener: (thrown: unknown) => void): () => void;
  /** Receives the warnings of Node instead of its lines on standard error. Returns a function that restores those. */
  onWarning(listener: (warning: Error) => void): () => void;
  /** Sets flags of V8 for this process from now on. */
  setFlags(...flags: readonly string[]): void;
  /** Has Node keep the compiled code of what is loaded from now on, where it can. */
  cacheCode(): void;
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
    isInteractive: isatty(0) && isatty(2),
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    onSignal(listener) {
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    onFault(listener) {
      const early = () => listener(new Error('the process has nothing left to wait for, but the run has not ended'));
      process.on('uncaughtException', listener).on('beforeExit', early);
      return () => {
        process.off('uncaughtException', listener).off('beforeExit', early);
      };
    },
    onWarning(listener) {
      const printers = process.listeners('warning');
      // Without printers (`--no-warnings`) no warnings are wanted.
      if (printers.length === 0) return () => {};
      process.removeAllListeners('warning').on('warning', listener);
      return () => {
        process.off('warning', listener);
        for (const print of printers) process.on('warning', print);
      };
    },
    setFlags(...flags) {
      const { setFlagsFromString } = process.getBuiltinModule('node:v8');
      for (const flag of flags) setFlagsFromString(flag);
    },
    cacheCode: () => cacheCode(cacheFolder(process.env), ownProcess(process.env)),
    exit: (code) => process.exit(code),
  };
}

export interface InnerShellOptions {
  /** That of the outer command. */
  readonly shell: Shell;
  readonly stdin: string;
  /** Interrupts the command, as Ctrl-C does. */
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
  /** Its log. */
  readonly onLog: (text: string) => void;
}

/** The shell of a command inside another one: nothing is asked, and the process stays as it is. */
export function innerShell({ shell, stdin, signal, onOutput, onLog }: InnerShellOptions): Shell {
  return {
    ...shell,
    stdin: () => Readable.from([Buffer.from(stdin)]),
    isInteractive: false,
    stdout: writing(onOutput),
    stderr: writing(onLog),
    onSignal(listener) {
      const abort = () => listener('SIGINT');
      signal.addEventListener('abort', abort);
      return () => signal.removeEventListener('abort', abort);
    },
    setFlags: () => {},
    cacheCode: () => {},
    exit: () => {},
  };
}

const writing = (take: (text: string) => void) =>
  new Writable({
    write(chunk, _, done) {
      take(String(chunk));
      done();
    },
  });

/** Whether the stream is a terminal with colours, and they are wanted. */
export const hasColor = ({ isTTY }: Pick<Shell['stdout'], 'isTTY'>, { NO_COLOR = '', TERM }: Shell['env']): boolean =>
  isTTY === true && NO_COLOR === '' && TERM !== 'dumb';

/** Fewer columns of standard output are not respected. */
const leastScreen = 40;

/** The columns of standard output, else those of the variable COLUMNS, else `usual`. At least 40. */
export function columnsOf({ stdout, env }: Pick<Shell, 'stdout' | 'env'>, usual: number): number {
  const given = stdout.columns ?? Number(env.COLUMNS ?? usual);
  return Number.isSafeInteger(given) && given > 0 ? Math.max(leastScreen, given) : usual;
}
