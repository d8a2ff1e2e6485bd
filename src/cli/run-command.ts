/** Runs a command inside another one, with streams of its own: for tools of assistants and for the page. */
import { Readable, Writable } from 'node:stream';
import { parseArguments } from './arguments.js';
import { type Command, reportResult } from './command.js';
import { createReport } from './report.js';
import type { Shell } from './shell.js';

export interface CommandCall {
  readonly shell: Shell;
  readonly name: string;
  readonly words: readonly string[];
  readonly stdin: string;
  /** Interrupts it, as Ctrl-C does. */
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
  /** Its log. */
  readonly onLog: (text: string) => void;
}

/** Resolves with its exit code; what has failed is in the log. Never rejects. */
export async function runCommand(commands: readonly Command[], call: CommandCall): Promise<number> {
  const { name, words } = call;
  const shell = shellOf(call);
  const report = createReport(words, shell);
  const command = commands.find((each) => each.name === name);
  try {
    if (command === undefined) throw new Error(`there is no command ${name}`);
    const result = await command.execute(parseArguments(words, command.options), shell, report);
    return reportResult(report, result, name);
  } catch (failure) {
    return reportResult(report, { failure }, name);
  }
}

/** The shell of a command inside another one: nothing is asked, and the process stays as it is. */
export function shellOf({ shell, stdin, signal, onOutput, onLog }: Omit<CommandCall, 'name' | 'words'>): Shell {
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

/** Runs one and returns what it has printed, in order. */
export async function printedByCommand(commands: readonly Command[], call: Omit<CommandCall, 'onOutput' | 'onLog'>) {
  const printed: string[] = [];
  const keep = (text: string) => void printed.push(text);
  const exit = await runCommand(commands, { ...call, onOutput: keep, onLog: keep });
  return { exit, text: printed.join('') };
}
