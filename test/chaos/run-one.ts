/**
 * One chaos run: the unbroken output of a world, then the same under faults and kills, resumed until it is done, and
 * what differs.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { ndjson } from '../../sinks/index.js';
import { run } from '../../src/index.js';
import { unchecked } from '../unchecked.js';
import { createDice, type Dice } from './dice.js';
import { createFaults } from './faults.js';
import { missingFrom } from './missing.js';
import { killAtRandom, startProcess } from './processes.js';
import { type ChaosServer, startChaosServer } from './server.js';
import { createWorld, password, type World } from './world.js';

export interface Outcome {
  readonly seed: number;
  readonly processes: number;
  readonly kills: number;
  readonly items: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly requests: number;
  readonly faults: number;
  readonly logins: number;
  /** Empty: all held. In plain words. */
  readonly broken: readonly string[];
}

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const interruptedBySigterm = 143;
/** Beyond them it is let through, so that a run ends. */
const mostKills = 6;

/** Everything follows from the seed but the moments at which processes get their time. */
export async function runOne(seed: number): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-chaos-'));
  try {
    const world = createWorld(seed);
    const dice = createDice(seed).apart('run');
    const unbroken = await pullUnbroken(world, join(folder, 'unbroken'), dice);
    const concurrency = dice.pick([1, 1, 3]);
    const prefetch = dice.pick(['0', '0', '2', '8', 'auto']);
    const plan = { faults: dice.pick([0, 0.05, 0.2]), kills: dice.between(0, mostKills), concurrency, prefetch };
    const broken = await pull(world, { folder, name: 'broken', dice, ...plan });
    return compare(seed, unbroken, broken, { concurrency, isAhead: prefetch !== '0' || world.overlaps });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

interface Plan {
  readonly folder: string;
  readonly name: string;
  readonly dice: Dice;
  readonly faults: number;
  readonly kills: number;
  readonly concurrency: number;
  readonly prefetch: string;
}

interface Unbroken {
  readonly files: ReadonlyMap<string, string>;
  readonly account: ChaosServer['account'];
}

interface Pulled extends Unbroken {
  readonly processes: number;
  readonly kills: number;
  readonly problems: readonly string[];
}

/** In this process, without a state: the expected output. */
async function pullUnbroken(world: World, out: string, dice: Dice): Promise<Unbroken> {
  const server = await startChaosServer(world, createFaults(dice.apart('faults'), 0), dice.apart('server'));
  try {
    await server.beginProcess();
    await run(unchecked(world.configuration(server.origin)), { to: ndjson(out) });
    return { files: await filesIn(out), account: server.account };
  } finally {
    await server.close();
  }
}

async function pull(world: World, { folder, name, dice, faults, kills, concurrency, prefetch }: Plan): Promise<Pulled> {
  const server = await startChaosServer(world, createFaults(dice.apart('faults'), faults), dice.apart('server'));
  const out = join(folder, name);
  const state = join(folder, `${name}.state`);
  const config = join(folder, `${name}.json`);
  await writeFile(config, JSON.stringify(world.configuration(server.origin)));
  const form = dice.apart('files').pick(['', '', '?compress=gzip', '?rotate=2000', '?compress=gzip&rotate=3000']);
  const options = ['--to', `ndjson:${out}${form}`, '--state', state, '--concurrency', String(concurrency), '--quiet'];
  const args = ['run', config, ...options, '--prefetch', prefetch];
  const problems: string[] = [];
  let processes = 0;
  let killed = 0;
  try {
    for (let done = false; !done; ) {
      await server.beginProcess();
      processes += 1;
      const child = startProcess([main, ...args, ...(processes === 1 ? [] : ['--resume-only'])]);
      if (killed < kills) killAtRandom(server, dice, child.kill);
      const { exit, stderr } = await child.ended;
      const isInterrupted = exit === null || exit === interruptedBySigterm;
      killed += isInterrupted ? 1 : 0;
      done = !isInterrupted || processes > mostKills + 1;
      if (exit !== 0 && !isInterrupted)
        problems.push(`process ${processes} ended with ${exit}: ${stderr.slice(0, 500)}`);
    }
    problems.push(...(await leaks(state)));
    const { account } = server;
    return { files: joined(await filesIn(out)), account, processes, kills: killed, problems };
  } finally {
    await server.close();
  }
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder, { recursive: true }).catch(() => [])).sort();
  const files: [string, string][] = [];
  for (const name of names) {
    const bytes = await readFile(join(folder, name));
    if (name.endsWith('.gz')) files.push([name.slice(0, -'.gz'.length), gunzipSync(bytes).toString()]);
    else files.push([name, bytes.toString()]);
  }
  return new Map(files);
}

/** The parts of each file, joined in their order. */
function joined(parts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [part, text] of parts) {
    const name = part.replace(/-\d{6}(?=\.ndjson$)/, '');
    files.set(name, (files.get(name) ?? '') + text);
  }
  return files;
}

/** Secrets in the files that a run keeps. */
async function leaks(folder: string): Promise<readonly string[]> {
  const kept = [...(await filesIn(folder)).values()].join('\n');
  const forms = [
    password,
    JSON.stringify(password).slice(1, -1),
    encodeURIComponent(password),
    Buffer.from(password).toString('base64'),
  ];
  const found = [...forms, 'token-'].filter((form) => kept.includes(form));
  return found.length === 0 ? [] : ['a secret stands in the state'];
}

interface Manner {
  readonly concurrency: number;
  /** Pages are requested before their turn. */
  readonly isAhead: boolean;
}

function compare(seed: number, unbroken: Unbroken, broken: Pulled, { concurrency, isAhead }: Manner): Outcome {
  const names = [...new Set([...unbroken.files.keys(), ...broken.files.keys()])];
  const differing = names.filter((name) => inOrder(unbroken, name, concurrency) !== inOrder(broken, name, concurrency));
  const lines = ({ files }: Unbroken) =>
    [...files].flatMap(([name, text]) =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => `${name} ${line}`),
    );
  const wanted = lines(unbroken);
  const got = lines(broken);
  const again = timesOf(broken) - timesOf(unbroken);
  const missing = [...unbroken.account.pages.keys()].filter((page) => !broken.account.pages.has(page));
  const said = [
    ...broken.problems,
    ...differing.map((name) => `${name} differs`),
    ...missing.map((page) => `${page} was never fetched whole`),
    ...(broken.account.needlessLogins > 0 ? [`${broken.account.needlessLogins} logins too many`] : []),
    // The page in flight of each kill; side by side or ahead, also those that had come before their turn.
    ...(concurrency === 1 && !isAhead && again > broken.kills
      ? [`${again} pages fetched again, ${broken.kills} kills`]
      : []),
  ];
  return {
    seed,
    processes: broken.processes,
    kills: broken.kills,
    items: wanted.length,
    lost: missingFrom(got, wanted),
    duplicated: missingFrom(wanted, got),
    requests: broken.account.requests,
    faults: broken.account.faults,
    logins: broken.account.logins,
    broken: said,
  };
}

/** How often pages went out whole. */
const timesOf = ({ account }: Unbroken): number => [...account.pages.values()].reduce((sum, times) => sum + times, 0);

/** Two concurrent jobs that share a file interleave in any way; the items of each stay in order. */
function inOrder({ files }: Unbroken, name: string, concurrency: number): string | undefined {
  const text = files.get(name);
  if (concurrency === 1 || name !== 'logs.ndjson' || text === undefined) return text;
  const of = (where: string) => text.split('\n').filter((line) => line.includes(`"where":"${where}"`));
  return [...of('north'), ...of('south')].join('\n');
}
