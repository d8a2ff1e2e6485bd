/** Runs a command inside another one, with streams of its own: for tools of assistants and for the page. */
import { parseArguments } from './arguments.js';
import { type Command, reportResult } from './command.js';
import { createReport } from './report.js';
import { type InnerShellOptions, innerShell } from './shell.js';

export interface CommandCall extends InnerShellOptions {
  readonly name: string;
  readonly words: readonly string[];
  /** The format of its log; absent: as its words say. */
  readonly log?: 'json';
}

/** Resolves with its exit code; what has failed is in the log. Never rejects. */
export async function runCommand(commands: readonly Command[], call: CommandCall): Promise<number> {
  const { name, words, log } = call;
  const shell = innerShell(call);
  const report = createReport(log === 'json' ? [...words, '--log=json'] : words, shell);
  const command = commands.find((each) => each.name === name);
  try {
    if (command === undefined) throw new Error(`there is no command ${name}`);
    const result = await command.execute(parseArguments(words, command.options), shell, report);
    return reportResult(report, result, name);
  } catch (failure) {
    return reportResult(report, { failure }, name);
  }
}

/** Runs one and returns what it has printed, in order. */
export async function printedByCommand(commands: readonly Command[], call: Omit<CommandCall, 'onOutput' | 'onLog'>) {
  const printed: string[] = [];
  const keep = (text: string) => void printed.push(text);
  const exit = await runCommand(commands, { ...call, onOutput: keep, onLog: keep });
  return { exit, text: printed.join('') };
}
