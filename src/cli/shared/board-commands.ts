/** `rxtract status`, `cancel`, `retry` and `sweep`: what a board says of the runs that workers share, and changes. */
import type { Board } from '../../checkpoint/board/board.js';
import { flagsOf } from '../../core/options/flags.js';
import type { OptionRows } from '../../core/options/kind.js';
import { duration, flag } from '../../core/options/kinds.js';
import { usageError } from '../../core/util/check-value.js';
import { type ParsedArguments, readFlags } from '../arguments.js';
import type { Command } from '../command.js';
import type { Report } from '../report.js';
import { logRows } from '../run-flags.js';
import { columnsOf, type Shell } from '../shell.js';

type Tools = typeof import('./at-board.js');

/** What a command does at a board. `name`: of a run, if it is given. */
interface BoardWork {
  readonly board: Board;
  readonly name: string | undefined;
  readonly args: ParsedArguments;
  readonly tools: Tools;
  readonly env: Shell['env'];
  readonly notice: Report['notice'];
  /** Writes the text for people, or with `--json` the data. */
  write(text: (columns: number) => string, data: unknown): void;
}

interface BoardCommand extends Pick<Command, 'name' | 'summary'> {
  readonly argument: string;
  readonly rows: OptionRows;
  readonly details: string;
  work(context: BoardWork): Promise<void>;
}

const jsonRows = {
  json: { kind: flag, summary: 'print the result as JSON' },
} satisfies OptionRows;

const sweepRows = {
  older: {
    kind: duration('s', 0),
    summary: 'only runs that were submitted so long ago, in seconds or with a unit',
    otherwise: '7d, or 0 with NAME',
  },
  ...jsonRows,
  ...logRows,
} satisfies OptionRows;

const day = 86_400_000;

const usualAge = 7 * day;

const aboutAddress = `ADDRESS is that of the board, postgres://[USER[:PASSWORD]@]HOST[:PORT]/DB, and NAME that of a run. '\${NAME}' in the
address is a variable of the environment: process lists show the arguments of a command to all users of a machine.
`;

export const status = boardCommand({
  name: 'status',
  summary: 'show the runs that workers share, and what failed',
  argument: 'ADDRESS [NAME]',
  rows: { ...jsonRows, ...logRows },
  details: `Examples
  rxtract status postgres://localhost/jobs            a row for each run
  rxtract status postgres://localhost/jobs nightly    one run: its workers, and why tasks failed last
  rxtract status postgres://localhost/jobs --json     for programs

A run is running, done, failed (nothing is left to do but tasks that have failed) or cancelled. The exit code is 0
whatever the state is, and 1 if there is no such run.

${aboutAddress}`,
  async work({ board, name, tools, write }) {
    if (name !== undefined) return writeStatus({ board, name, tools, write });
    const runs = await board.runs();
    write((columns) => tools.runsText(runs, columns), runs.map(tools.runAsData));
  },
});

export const cancel = boardCommand({
  name: 'cancel',
  summary: 'end a run that workers share',
  argument: 'ADDRESS NAME',
  rows: { ...jsonRows, ...logRows },
  details: `Example
  rxtract cancel postgres://localhost/jobs nightly

Workers leave its tasks within seconds; nothing that they write later counts, and nothing is published. The journals
stay: \`rxtract retry\` continues the run, \`rxtract sweep\` removes it.

${aboutAddress}`,
  work: (context) => change('cancel', context, ({ board, name, tools }) => tools.cancelRun(board, name)),
});

export const retry = boardCommand({
  name: 'retry',
  summary: 'let workers take failed tasks of a run again',
  argument: 'ADDRESS NAME',
  rows: { ...jsonRows, ...logRows },
  details: `Example
  rxtract retry postgres://localhost/jobs nightly     after the cause was repaired: a task continues where it failed

A task has failed after 5 attempts, or after 20 processes have ended while they had it.

${aboutAddress}`,
  work: (context) => change('retry', context, ({ board, name, tools }) => tools.retryRun(board, name)),
});

export const sweep = boardCommand({
  name: 'sweep',
  summary: 'remove runs that workers have ended',
  argument: 'ADDRESS [NAME]',
  rows: sweepRows,
  details: `Examples
  rxtract sweep postgres://localhost/jobs               runs that were submitted more than 7 days ago
  rxtract sweep postgres://localhost/jobs --older 30d
  rxtract sweep postgres://localhost/jobs nightly       this run

Files and objects of parts stay: of a run that was not published, a notice names them.
Runs that are done, failed or cancelled are removed, and none that workers have tasks of. A run that was removed cannot
be continued. A process that was suspended with a task of it is refused at the board, also by a later run of its name.

${aboutAddress}`,
  async work({ board, name, args, tools, env, notice, write }) {
    if (name !== undefined && (await tools.statusOf(board, name)).state === 'running')
      throw usageError(`the run "${name}" is running: \`rxtract cancel\` ends it`);
    const { older = name === undefined ? usualAge : 0 } = readFlags(args, sweepRows);
    const runs = await board.runs();
    const left = await tools.partsLeft(board, name === undefined ? runs : runs.filter((run) => run.name === name), env);
    const names = await board.sweep(older, name);
    for (const { run, places } of left.filter((each) => names.includes(each.run))) {
      const message = `the parts of the run "${run}", which was not published, stay: ${places.join(', ')}`;
      notice({ level: 'info', code: 'parts-left', message });
    }
    write(
      () => (names.length === 0 ? 'no run was removed\n' : names.map((each) => `removed ${each}\n`).join('')),
      names,
    );
  },
});

function boardCommand({ name, summary, argument, rows, details, work }: BoardCommand): Command {
  return {
    name,
    summary,
    argument,
    argumentOneOf: ['postgres://'],
    options: flagsOf(rows),
    details: async () => details,
    async execute(args, shell, report) {
      const [address, run, extra] = args.positionals;
      if (address === undefined) throw usageError(`${name} needs the address of a board, postgres://HOST/DB`);
      if (extra !== undefined) throw usageError(`unexpected argument "${extra}" after "${name} ${argument}"`);
      const tools = await import('./at-board.js');
      const board = tools.openBoard(address, { args, shell, report, place: name });
      try {
        const { notice } = report;
        await work({ board, name: run, args, tools, env: shell.env, notice, write: writer(args, shell) });
        return {};
      } finally {
        board.end();
      }
    },
  };
}

const writer =
  (args: ParsedArguments, shell: Shell): BoardWork['write'] =>
  (text, data) =>
    void shell.stdout.write(args.has('json') ? `${JSON.stringify(data)}\n` : text(columnsOf(shell, usualWidth)));

/** Columns of a terminal whose width is not known. */
const usualWidth = 120;

type NamedWork = Omit<BoardWork, 'args' | 'name' | 'env' | 'notice'> & { readonly name: string };

/** Changes a run, and shows it then. */
async function change(
  command: string,
  { name, ...context }: BoardWork,
  work: (context: NamedWork) => Promise<void>,
): Promise<void> {
  const { board, tools } = context;
  if (name === undefined) throw await tools.missingName(board, command);
  await tools.statusOf(board, name); // its error has the nearest name
  await work({ ...context, name });
  await writeStatus({ ...context, name });
}

async function writeStatus({ board, name, tools, write }: NamedWork): Promise<void> {
  const run = await tools.statusOf(board, name);
  write((columns) => tools.statusText(run, columns), tools.statusAsData(run));
}
