/**
 * A few processes that all black-box tests of a test process share: each runs the built command for one test at a time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface SharedRun {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly stdin: string;
  /** Variables beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

const host = fileURLToPath(new URL('host.mjs', import.meta.url));
const most = 2;
const guardMs = 120_000;

const idle: ChildProcess[] = [];
const waiting: ((child: ChildProcess) => void)[] = [];
let started = 0;

/** Runs the command in the first free process. Resolves with its answer; throws if the process ends or hangs. */
export async function inSharedProcess(run: SharedRun): Promise<unknown> {
  const child = await take();
  hold(child);
  let isUsable = false;
  const guard = setTimeout(() => child.kill('SIGKILL'), guardMs);
  const done = new AbortController();
  try {
    const ended = once(child, 'exit', { signal: done.signal }).then(([code, signal]) => {
      throw new Error(`the shared process ended with ${signal ?? code} during: rxtract ${run.args.join(' ')}`);
    });
    child.send(run);
    const [answer] = await Promise.race([once(child, 'message', { signal: done.signal }), ended]);
    isUsable = true;
    return answer;
  } finally {
    clearTimeout(guard);
    done.abort();
    if (isUsable) giveBack(child);
    else replace();
  }
}

function take(): ChildProcess | Promise<ChildProcess> {
  const child = idle.pop();
  if (child !== undefined) return child;
  if (started < most) return start();
  return new Promise((resolve) => waiting.push(resolve));
}

function start(): ChildProcess {
  started += 1;
  return fork(host, [], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** A process in use keeps this one alive, an idle one does not. */
function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function giveBack(child: ChildProcess): void {
  const next = waiting.shift();
  if (next !== undefined) {
    next(child);
    return;
  }
  child.unref();
  child.channel?.unref();
  idle.push(child);
}

/** One that ended is not used again; who waits gets a new one. */
function replace(): void {
  started -= 1;
  if (waiting.length > 0) waiting.shift()?.(start());
}
