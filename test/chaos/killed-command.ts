/** A command that is killed after some of its requests, at a random moment, and started again until it is done. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Dice } from './dice.js';
import { startProcess } from './processes.js';

/** Kills the process in progress, so many requests after its start. */
export interface Killer {
  /** Called by the server at each request. */
  asked(): void;
  /** Aims at a process. */
  aim(kill: (signal: NodeJS.Signals) => void): void;
  rest(): void;
  readonly counts: { processes: number; kills: number };
}

/** `most`: the most requests before a kill. */
export function createKiller(dice: Dice, most: number): Killer {
  let left = Number.POSITIVE_INFINITY;
  let strike = () => {};
  return {
    counts: { processes: 0, kills: 0 },
    asked() {
      left -= 1;
      if (left === 0) strike();
    },
    aim(kill) {
      left = dice.between(1, most);
      const delay = dice.pick([0, 0, 1, 3, 10, 40]);
      strike = () => void setTimeout(kill, delay, 'SIGKILL');
    },
    rest() {
      left = Number.POSITIVE_INFINITY;
    },
  };
}

interface KilledRun {
  /** Of the configuration. */
  readonly folder: string;
  /** The folder of the output, in that folder. */
  readonly place: string;
  /** Flags of the first process; those after it resume its run. */
  readonly again: readonly string[];
  readonly killer: Killer;
  readonly concurrency: number;
  /** Further flags of all processes. */
  readonly flags?: readonly string[];
  /** The last processes are not killed; absent: 2,000. */
  readonly mostKills?: number;
}

const command = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

/** Returns the log of the process that has ended well. */
export async function runKilled({
  folder,
  place,
  again,
  killer,
  concurrency,
  flags = [],
  mostKills = 2000,
}: KilledRun) {
  const at = ['--state', join(folder, 'st'), '--to', `ndjson:${join(folder, place)}`];
  const args = [
    'run',
    join(folder, 'config.json'),
    ...at,
    '--concurrency',
    String(concurrency),
    '--log',
    'json',
    ...flags,
  ];
  const before = await runIn(folder);
  let resume = again;
  for (let kills = 0; ; kills++) {
    const { kill, ended } = startProcess([command, ...args, ...resume]);
    killer.counts.processes += 1;
    if (kills < mostKills) killer.aim(kill);
    const { exit, stderr } = await ended;
    killer.rest();
    if (exit === 0) return stderr;
    if (exit !== null) throw new Error(`a run ended with ${exit}: ${stderr.slice(-2000)}`);
    killer.counts.kills += 1;
    resume = (await runIn(folder)) === before ? again : ['--resume-only'];
  }
}

/** The name of the run in the state: a process that was killed very early has begun none. */
async function runIn(folder: string): Promise<string | undefined> {
  const journal = await readFile(join(folder, 'st', 'journal'), 'utf8').catch(() => '');
  return /"run":"([^"]+)"/.exec(journal)?.[1];
}
