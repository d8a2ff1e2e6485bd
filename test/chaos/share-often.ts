/**
 * Runs that several workers share, of random configurations: workers are killed, suspended for longer than their lease,
 * and lose connections, and PostgreSQL crashes. What is read back is what one process gives.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type RandomScene, randomScene } from '../checkpoint/board/random-scene.js';
import { configurationOf } from '../checkpoint/scenes.js';
import { type Answer, type Api, headerOf, json, startApi } from '../loopback/api.js';
import { connectReady, startPostgres, type TestServer } from '../support/servers.js';
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.js';
import { createDice, type Dice } from './dice.js';

export interface SharedSeen {
  readonly seed: number;
  readonly jobs: number;
  readonly workers: number;
  readonly tasks: number;
  readonly items: number;
  readonly seconds: number;
  readonly kills: number;
  /** Longer than a lease. */
  readonly suspensions: number;
  /** Connections to PostgreSQL that broke. */
  readonly cuts: number;
  /** Of PostgreSQL. */
  readonly crashes: number;
  /** Of the shared run, and of one process. */
  readonly requests: number;
  readonly requestsAlone: number;
  readonly logins: number;
  /** Requests in the fullest second, and how many there may be. */
  readonly fullestSecond: number;
  readonly rate: number;
  /** Empty: everything is as it should be. */
  readonly broken: readonly string[];
}

/** Tokens live so long, in s. */
const tokenLife = 4;
const leaseMs = 1000;
/** Faults end after this time, so that the run does. */
const faultsMs = 12_000;
/** A run that takes longer hangs. */
const guardMs = 240_000;

const command = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));
const key = Buffer.alloc(32, 7).toString('base64');

/** One run. */
export async function shareOnce(seed: number): Promise<SharedSeen> {
  const dice = createDice(seed);
  const scene = randomScene((below) => dice.between(0, below - 1), 2 ** dice.between(4, 8));
  const rate = dice.between(30, 120);
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-shared-'));
  const account = createAccount();
  const api = await startApi(answering(scene, account, dice.apart('api')));
  const postgres = await startPostgres();
  const proxy = await startCuttingProxy(postgres.port);
  try {
    const config = join(folder, 'config.json');
    await writeFile(config, JSON.stringify(configuredFor(scene, api, rate)));
    const alone = await runAlone(folder, config, scene, account);
    const world: World = { dice: dice.apart('faults'), folder, config, postgres, proxy, account };
    const seen = await runShared(world, scene, alone);
    return { seed, jobs: scene.jobs.length, ...seen, rate };
  } finally {
    await proxy.close();
    await postgres.close();
    await api.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** What the API has seen. */
interface Account {
  /** When requests arrived, in ms. */
  arrivals: number[];
  logins: number;
  /** When the last token was given. */
  givenAt: number;
}

const createAccount = (): Account => ({ arrivals: [], logins: 0, givenAt: 0 });

/** Requests need the last token, and take a moment. */
function answering(scene: RandomScene, account: Account, dice: Dice): Answer {
  return async (request, index) => {
    const url = new URL(request.target, 'http://x');
    if (url.pathname === '/login') {
      await setTimeout(dice.between(0, 30));
      account.logins += 1;
      account.givenAt = performance.now();
      return json({ token: `token-${account.logins}` });
    }
    account.arrivals.push(performance.now());
    const isOld = performance.now() - account.givenAt > (tokenLife + 2) * 1000;
    await setTimeout(dice.between(0, 15));
    if (isOld || headerOf(request, 'x-token') === undefined) return { status: 401 };
    if (dice.happens(0.01)) return { status: 503 };
    return scene.answer(url, request, index);
  };
}

function configuredFor(scene: RandomScene, api: Api, rate: number): object {
  const shared = {
    ...scene,
    api: {
      ...scene.api,
      retryConfig: { maxRetries: 5 },
      http: { rateLimit: `${rate}/s` },
      authentication: {
        type: 'login',
        loginRequest: { endpoint: 'login', method: 'POST', params: { password: { attr: '#password' } } },
        apiRequest: { headers: { 'X-Token': { response: 'token' } } },
        expires: tokenLife,
      },
    },
  };
  const { iterations } = scene;
  return { ...configurationOf(shared, api.origin), ...(iterations === undefined ? {} : { iterations }) };
}

interface Alone {
  readonly requests: number;
  /** By data type: its items in an order of their own. */
  readonly items: ReadonlyMap<string, readonly string[]>;
}

async function runAlone(
  folder: string,
  config: string,
  { concurrency = 1 }: RandomScene,
  account: Account,
): Promise<Alone> {
  const out = join(folder, 'alone');
  await promisify(execFile)(process.execPath, [
    ...[command, 'run', config, '--to', `ndjson:${out}`, '--concurrency', String(concurrency), '--quiet'],
  ]);
  const items = new Map<string, readonly string[]>();
  for (const name of await readdir(out)) {
    const lines = (await readFile(join(out, name), 'utf8')).split('\n').filter((line) => line !== '');
    items.set(name.replace(/\.ndjson$/, ''), sorted(lines));
  }
  const requests = account.arrivals.length;
  Object.assign(account, createAccount());
  return { requests, items };
}

const sorted = (lines: readonly string[]): readonly string[] => lines.map(canonical).sort();

/** With members in an order of their own. */
const canonical = (line: string): string => JSON.stringify(ordered(JSON.parse(line)));

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([name, member]) => [name, ordered(member)]));
}

interface World {
  readonly dice: Dice;
  readonly folder: string;
  readonly config: string;
  readonly postgres: TestServer;
  readonly proxy: CuttingProxy;
  readonly account: Account;
}

interface Counts {
  kills: number;
  suspensions: number;
  crashes: number;
}

async function runShared(world: World, scene: RandomScene, alone: Alone) {
  const { dice, config, proxy, account, postgres } = world;
  const address = `postgres://rx@127.0.0.1:${proxy.port}/postgres`;
  const mode = dice.pick(['', '?mode=append', '?mode=append&log=true']);
  const words = ['run', config, '--to', `${address}${mode}`, '--on', address, '--name', 'chaos', '--detach'];
  const submitting = startCommand([...words, '--concurrency', String(scene.concurrency ?? 1)], world);
  const submitted = await submitting.ended;
  if (submitted.exit !== 0) throw new Error(`the run was not submitted: ${submitted.stderr}`);
  const started = performance.now();
  const counts: Counts = { kills: 0, suspensions: 0, crashes: 0 };
  const places = Array.from({ length: dice.between(2, 6) }, (_, index) =>
    createPlace({ world, address, counts, dice: dice.apart(`worker ${index}`) }),
  );
  const broken: string[] = [];
  try {
    let isOver = false;
    const goesOn = () => !isOver && performance.now() - started < faultsMs;
    const shaken = [...places.map(({ shake }) => shake(goesOn)), shakeServer(world, counts, goesOn)];
    broken.push(...(await untilEnded(postgres, started)));
    isOver = true;
    await Promise.all(shaken);
  } finally {
    for (const { exit, stderr } of await Promise.all(places.map(({ end }) => end()))) {
      if (exit !== 0) broken.push(`a worker ended with ${exit}: ${stderr.slice(-2000)}`);
    }
  }
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  broken.push(...(await compared(postgres, alone)));
  const most = seconds / tokenLife + 2 + counts.kills + counts.suspensions + proxy.cuts + counts.crashes;
  if (account.logins > most) broken.push(`${account.logins} logins in ${seconds} s`);
  const [row] = await read(postgres, 'SELECT count(*)::int AS tasks FROM rxtract.tasks');
  return {
    workers: places.length,
    tasks: Number(row?.tasks),
    items: [...alone.items.values()].reduce((sum, lines) => sum + lines.length, 0),
    seconds,
    ...counts,
    cuts: proxy.cuts,
    requests: account.arrivals.length,
    requestsAlone: alone.requests,
    logins: account.logins,
    fullestSecond: fullestSecond(account.arrivals),
    broken,
  };
}

interface Ended {
  readonly exit: number | null;
  readonly stderr: string;
}

/** Starts the command in a folder of its own. */
function startCommand(words: readonly string[], { folder }: Pick<World, 'folder'>) {
  const child: ChildProcess = spawn(process.execPath, [command, ...words], {
    cwd: folder,
    env: { ...process.env, RXTRACT_KEY: key },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended: Promise<Ended> = once(child, 'close').then(([exit]) => ({ exit, stderr }));
  return { kill: (signal: NodeJS.Signals) => void child.kill(signal), ended };
}

interface PlaceOptions {
  readonly world: World;
  readonly address: string;
  readonly counts: Counts;
  readonly dice: Dice;
}

/** A worker, and those that follow it when it was killed. */
function createPlace({ world, address, counts, dice }: PlaceOptions) {
  const start = () => startCommand(['worker', address, '--slots', String(dice.between(1, 3)), '--lease', '1s'], world);
  let worker = start();
  return {
    async shake(goesOn: () => boolean): Promise<void> {
      for (;;) {
        await setTimeout(dice.between(300, 4000));
        if (!goesOn()) return;
        if (dice.happens(0.5)) {
          worker.kill('SIGKILL');
          await worker.ended;
          counts.kills += 1;
          worker = start();
        } else {
          worker.kill('SIGSTOP');
          await setTimeout(dice.between(leaseMs, 3 * leaseMs));
          worker.kill('SIGCONT');
          counts.suspensions += 1;
        }
      }
    },
    end(): Promise<Ended> {
      worker.kill('SIGTERM');
      return worker.ended;
    },
  };
}

/** Connections break at any byte, and at times the server crashes. */
async function shakeServer({ dice, proxy, postgres }: World, counts: Counts, goesOn: () => boolean): Promise<void> {
  for (;;) {
    await setTimeout(dice.between(100, 1500));
    if (!goesOn()) return;
    if (dice.happens(0.1)) {
      await postgres.kill();
      counts.crashes += 1;
      await setTimeout(dice.between(0, 500));
      await postgres.start();
    } else proxy.cut(dice.between(0, 600), (count) => dice.between(0, Math.max(0, count - 1)));
  }
}

type Row = Readonly<Record<string, unknown>>;

async function read({ port }: TestServer, text: string): Promise<readonly Row[]> {
  const client = await connectReady(port);
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Waits until no task is left. Returns what is wrong with those that are. */
async function untilEnded(postgres: TestServer, started: number): Promise<readonly string[]> {
  for (;;) {
    await setTimeout(200);
    const tasks = await read(postgres, `SELECT task, state, error FROM rxtract.tasks WHERE state <> 'done'`).catch(
      () => undefined, // while it is away
    );
    if (tasks?.length === 0) return [];
    const isLate = performance.now() - started > guardMs;
    const failed = tasks?.filter(({ state }) => state === 'failed') ?? [];
    if (!isLate && failed.length === 0) continue;
    return (isLate ? (tasks ?? []) : failed).map(({ task, state, error }) => `${task} is ${state}: ${error}`);
  }
}

/** What is lost and what is doubled, in the tables. */
async function compared(postgres: TestServer, { items }: Alone): Promise<readonly string[]> {
  const names = await read(
    postgres,
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
      AND relname NOT LIKE 'rxtract%'`,
  );
  const all = new Set([...items.keys(), ...names.map(({ name }) => String(name))]);
  const broken: string[] = [];
  for (const name of all) {
    const isThere = names.some((each) => each.name === name);
    const rows = isThere ? await read(postgres, `SELECT item::text AS item FROM "${name}"`) : [];
    const [found, expected] = [sorted(rows.map(({ item }) => String(item))), items.get(name) ?? []];
    const [lost, doubled] = [without(expected, found), without(found, expected)];
    if (lost.length > 0) broken.push(`${name}: ${lost.length} lost, such as ${lost[0]}`);
    if (doubled.length > 0) broken.push(`${name}: ${doubled.length} doubled, such as ${doubled[0]}`);
  }
  return broken;
}

/** The lines of one list that the other one does not have so often. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
}

/** The most arrivals within one second. */
function fullestSecond(arrivals: readonly number[]): number {
  let [first, most] = [0, 0];
  for (const [last, at] of arrivals.entries()) {
    while (at - (arrivals[first] ?? at) >= 1000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
