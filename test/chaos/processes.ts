/** Processes of a chaos run: started with hastened timers, killed at random, guarded. */
import { spawn } from 'node:child_process';
import type { Dice } from './dice.js';
import type { ChaosServer } from './server.js';

const hasten = new URL('hasten.mjs', import.meta.url).href;
/** A process that hangs is a failure of its run. */
const guardMs = 120_000;

/** A fifth of the runs is asked to stop, and stops after the current page; the others are killed without notice. */
export function killAtRandom(server: ChaosServer, dice: Dice, kill: (signal: NodeJS.Signals) => void): void {
  const delay = dice.pick([0, 0, 1, 3, 10, 40]);
  const signal = dice.pick<NodeJS.Signals>(['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGTERM']);
  server.after(dice.between(1, 30), dice.pick(['asked', 'answered']), () => void setTimeout(kill, delay, signal));
}

/** Kills a process after the API has sent all of so many pages: while it publishes, or just before or after. */
export function killAtTheEnd(
  server: ChaosServer,
  pages: number,
  dice: Dice,
  kill: (signal: NodeJS.Signals) => void,
): void {
  const delay = dice.pick([0, 3, 10, 30, 60, 100, 200]);
  const start = dice.between(100, 1000);
  const isOver = () => server.account.pages.size >= pages;
  const look = () => {
    if (isOver()) setTimeout(kill, delay, 'SIGKILL');
    else server.after(1, 'answered', look);
  };
  // A process that has only to publish sends no request.
  if (isOver()) setTimeout(kill, start, 'SIGKILL');
  else look();
}

/** Starts Node with these words; it is killed when it hangs. A client of a server is not hastened. */
export function startProcess(args: readonly string[], { isHastened = true } = {}) {
  const words = isHastened ? ['--import', hasten, ...args] : args;
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  const ended = new Promise<{ exit: number | null; stderr: string }>((resolve, reject) => {
    const guard = setTimeout(() => {
      stderr += 'it hangs';
      kill('SIGKILL');
    }, guardMs);
    child.on('error', reject);
    child.on('close', (exit) => {
      clearTimeout(guard);
      resolve({ exit: stderr.endsWith('it hangs') ? 99 : exit, stderr });
    });
  });
  return { kill, ended };
}
