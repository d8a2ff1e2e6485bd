/** Runs the built command in another process, as black-box tests do, or inside this process for other tests. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rxtract } from '../../src/cli/main-command.js';
import { fakeShell } from '../cli/fake-shell.js';
import { inSharedProcess } from './shared-process.js';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** A child that hangs is a failure of its test, not of the whole run. */
const guardMs = 120_000;

export interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly stdin?: string;
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called once the child is there: sends it signals, and waits until its standard error has a text. */
  readonly onStart?: (signal: (name: NodeJS.Signals) => void, printed: (text: string) => Promise<void>) => void;
}

/**
 * Runs the built command to its end, in a process that other tests use before and after: for all whose subject is
 * neither the process, nor its standard output, nor a variable that Node itself reads.
 */
export async function command(args: readonly string[], options: Omit<RunOptions, 'onStart'> = {}): Promise<Ended> {
  const { cwd = process.cwd(), stdin = '', env = {} } = options;
  return checkLog(args, (await inSharedProcess({ args, cwd, stdin, env })) as Ended); // what host.mjs answers
}

/** Runs `node dist/src/cli/main.js ARGS` to its end: a process of its own, for signals, streams and exit codes. */
export async function ownCommand(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return checkLog(args, await node([main, ...args], options));
}

/** The same in this process, for tables whose subject is no process: starting one takes longer than most rows. */
export async function commandHere(args: readonly string[], { stdin, env }: RunOptions = {}): Promise<Ended> {
  const shell = fakeShell({ ...(stdin === undefined ? {} : { stdin }), ...(env === undefined ? {} : { env }) });
  const exit = await rxtract([...args], shell);
  return checkLog(args, { exit, stdout: shell.out(), stderr: shell.err() });
}

/** Holds the log of a command to its schema, if the arguments ask for JSON. */
async function checkLog(args: readonly string[], run: Ended): Promise<Ended> {
  const isJson = args.some((word, index) => word === '--log=json' || (word === 'json' && args[index - 1] === '--log'));
  if (!isJson) return run;
  const { readLog } = await import('../support/log-lines.js');
  // The last line may be a part, and output of another program.
  readLog(
    run.stderr
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .join('\n'),
  );
  return run;
}

/** Runs `node ARGS` to its end. `exit` is null when a signal ended it. */
export function node(args: readonly string[], { cwd, stdin, env, onStart }: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      stdio: 'pipe',
    });
    const read = { stdout: '', stderr: '' };
    const looking = new Set<() => void>();
    const printed = (text: string) =>
      new Promise<void>((found) => {
        const look = () => read.stderr.includes(text) && found();
        looking.add(look);
        look();
      });
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        read[name] += text;
        for (const look of looking) look();
      });
    }
    const guard = setTimeout(() => child.kill('SIGKILL'), guardMs);
    child.on('error', reject);
    child.on('close', (exit) => {
      clearTimeout(guard);
      resolve({ exit, ...read });
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(stdin ?? '');
    onStart?.((name) => child.kill(name), printed);
  });
}

/** Hands a fresh directory to the callback and removes it afterwards. */
export async function inTemporary<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'rxtract-'));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Name -> content of every file in the directory; a directory that is not there has none. */
export async function filesIn(directory: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const files = names.sort().map(async (name) => [name, await readFile(join(directory, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(files));
}

/** Starts `work` for all, `atOnce` at a time, and hands out each one's promise. */
export function pool<T, R>(all: readonly T[], atOnce: number, work: (one: T) => Promise<R>): readonly Promise<R>[] {
  const free = Array.from({ length: atOnce }, () => Promise.resolve<unknown>(undefined));
  return all.map((one, index) => {
    const lane = index % atOnce;
    const result = (free[lane] ?? Promise.resolve()).then(() => work(one));
    free[lane] = result.catch(() => undefined);
    return result;
  });
}
