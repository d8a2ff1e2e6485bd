/** Starts a server of a test as a process of its own, waits until it accepts work, and ends it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export interface TestServer {
  readonly port: number;
  readonly folder: string;
  /** Ends the process at once, as a crash would, or with the signal. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, on the same port and folder. */
  start(): Promise<void>;
  /** Ends it, and removes its folder. */
  close(): Promise<void>;
}

export interface ServerProgram {
  /** The program, its arguments, and variables of its environment. */
  command(place: { readonly port: number; readonly folder: string }): {
    readonly file: string;
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    /** The user that runs it; absent: this one. */
    readonly uid?: number;
  };
  /** Waits until a server whose ports are open accepts work. */
  readonly untilReady?: (port: number) => Promise<void>;
  /** Further ports that it opens, perhaps later than the first. */
  readonly morePorts?: readonly number[];
  /** Ports of its other processes, which end later than the first of them. */
  readonly innerPorts?: readonly number[];
  /** The signal of a crash; SIGKILL unless it would leave processes behind. */
  readonly crash?: NodeJS.Signals;
  /** Called once, before the first start. */
  prepare?(place: { readonly port: number; readonly folder: string }): Promise<void>;
  /** The program starts others, which are to end with it. */
  readonly isGroup?: boolean;
}

const portsOfProcess = 100;
const firstPort = 10_000 + (process.pid % 220) * portsOfProcess;
let portsGiven = 0;

/**
 * A port that is free now. It is below those that systems give to connections, so that none of them takes it while its
 * server starts, or is down for a moment. Processes with neighbouring ids give different ports, for the same reason.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + (portsGiven++ % portsOfProcess);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

/**
 * Starts a program and waits until its ports accept connections, and `untilReady` has settled. Throws, with the last
 * output of the program, if it ends before that.
 */
export async function startServer(options: ServerProgram): Promise<TestServer> {
  const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), 'rxtract-server-'))];
  const { command, isGroup = false, untilReady, crash = 'SIGKILL', morePorts = [], innerPorts = [] } = options;
  await options.prepare?.({ port, folder });
  const { file, args, env, uid } = command({ port, folder });
  const output = join(folder, 'output.log');
  const ports = [port, ...morePorts];
  let child: ChildProcess | undefined;
  const start = async () => {
    const log = openSync(output, 'a');
    const user = uid === undefined ? {} : { uid, gid: uid };
    const stdio = ['ignore', log, log] as const;
    child = spawn(file, args, { stdio: [...stdio], detached: isGroup, env: { ...process.env, ...env }, ...user });
    closeSync(log);
    const over = new AbortController();
    const ready = Promise.all(ports.map((each) => untilOpen(each, over.signal))).then(() => untilReady?.(port));
    try {
      await Promise.race([ready, failed(child)]);
    } catch (thrown) {
      const text = thrown instanceof Error ? thrown.message : String(thrown);
      throw new Error(`${file}: ${text}. Its last output:\n${endOf(output)}`, { cause: thrown });
    } finally {
      over.abort();
    }
  };
  const kill = async (signal: NodeJS.Signals = crash) => {
    const ending = child;
    child = undefined;
    if (!isRunning(ending)) return;
    const ended = once(ending, 'exit');
    process.kill(isGroup ? -ending.pid : ending.pid, signal);
    await ended;
    if (isGroup) await Promise.all([...ports, ...innerPorts].map(untilClosed));
  };
  const endWithProcess = () => {
    if (isRunning(child)) process.kill(isGroup ? -child.pid : child.pid, 'SIGKILL');
  };
  const close = async () => {
    await kill();
    process.off('exit', endWithProcess);
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once('exit', endWithProcess);
  await start().catch(async (thrown: unknown) => {
    await close();
    throw thrown;
  });
  return { port, folder, start, kill, close };
}

const isRunning = (child: ChildProcess | undefined): child is ChildProcess & { readonly pid: number } =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null;

async function failed(child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`ended with ${code ?? signal} before it accepted work`);
}

/** The last 4 KB of a file. */
const endOf = (path: string): string => readFileSync(path).subarray(-4096).toString();

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  );
  socket.destroy();
  return connected;
}

const attempts = 9000;
const pauseMs = 20;
const limit = `within ${(attempts * pauseMs) / 60_000} minutes`;

/** Servers report their start in different ways; a connection is the same for all. */
async function untilOpen(port: number, signal: AbortSignal): Promise<void> {
  for (let attempt = 0; attempt < attempts && !signal.aborted; attempt++) {
    if (await isOpen(port)) return;
    await setTimeout(pauseMs);
  }
  throw new Error(`port ${port} did not open ${limit}`);
}

/** Of a group of processes only the first one can be waited for; the ports of the others close when they have ended. */
async function untilClosed(port: number): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (!(await isOpen(port))) return;
    await setTimeout(pauseMs);
  }
  throw new Error(`port ${port} did not close ${limit}`);
}
