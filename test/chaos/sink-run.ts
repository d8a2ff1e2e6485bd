/**
 * One chaos run over sinks of each recovery: what an unbroken run gives, then the same under faults and kills of the
 * process, of the API and of the destinations, resumed until it is done.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { Recovery, Sink } from '../../sinks/contract.js';
import { memory } from '../../sinks/memory.js';
import { run } from '../../src/index.js';
import { unchecked } from '../unchecked.js';
import { type BrokerName, brokers, startBroker } from './brokers.js';
import type { Orders } from './child.js';
import { type Destination, startDestination } from './destination.js';
import { createDice, type Dice } from './dice.js';
import { createFaults } from './faults.js';
import { type Expected, type FolderName, folders, startFolder } from './folders.js';
import { expectedRows, type Lines } from './list-rows.js';
import { createLongWorld } from './long-world.js';
import { missingFrom } from './missing.js';
import { killAtRandom, killAtTheEnd, startProcess } from './processes.js';
import { type ChaosServer, startChaosServer } from './server.js';
import { createWorld, type World } from './world.js';

export interface SinkRun {
  readonly seed: number;
  readonly processes: number;
  readonly kills: number;
  /** Processes that ended because a destination failed. */
  readonly failures: number;
  readonly faults: number;
  readonly items: number;
  readonly lost: number;
  /** Of sinks that promise to give each item once. */
  readonly duplicated: number;
  /** Of sinks with recovery `none`, which may. */
  readonly repeated: number;
  /** Empty: all promises were kept. In plain words. */
  readonly broken: readonly string[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const child = join(root, 'out/chaos/child.js');
const destinationFailed = 3;
const mostKills = 6;
const mostProcesses = 40;

/** A recovery: the sink of examples/sinks with it. Another name: a real broker, or a format of files. */
export type SinkKind = Recovery | BrokerName | FolderName;

function recoveryOf(kind: SinkKind): Recovery {
  if (isBroker(kind)) return brokers[kind].recovery;
  return isFolder(kind) ? folders[kind].recovery : kind;
}

const isBroker = (kind: SinkKind): kind is BrokerName => kind in brokers;
const isFolder = (kind: SinkKind): kind is FolderName => kind in folders;

const hasLists = (kind: SinkKind): boolean =>
  isBroker(kind) ? 'lists' in brokers[kind] : isFolder(kind) && 'lists' in folders[kind];

/** Bundles the process into one file, so that it starts fast. */
export function compileChild(): void {
  buildSync({
    absWorkingDir: root,
    entryPoints: ['test/chaos/child.ts'],
    outfile: child,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
  });
}

/**
 * Everything follows from the seed but the moments at which processes get their time. `kinds`: one sink each. `items`:
 * so many in two long lists, in place of a small world.
 */
export async function runSinks(seed: number, kinds: readonly SinkKind[], items?: number): Promise<SinkRun> {
  const folder = await mkdtemp(join(tmpdir(), 'rxtract-chaos-'));
  const dice = createDice(seed).apart('sinks');
  const world = items === undefined ? createWorld(seed) : createLongWorld(seed, items);
  const plan = {
    faults: dice.pick([0, 0.05, 0.2]),
    kills: dice.between(0, mostKills),
    concurrency: dice.pick([1, 1, 3]),
  };
  const server = await startChaosServer(world, createFaults(dice.apart('faults'), plan.faults), dice.apart('server'));
  const probability = dice.pick([0, 0.01, 0.05]);
  const destinations: Destination[] = [];
  try {
    const { lines: expected, pages } = await linesOf(world, dice);
    const whole = await expectedOf(seed, world, dice, expected);
    for (const [at, kind] of kinds.entries()) {
      const own = dice.apart(`destination ${at}`);
      if (isFolder(kind)) destinations.push(await startFolder(kind, whole));
      else if (isBroker(kind)) destinations.push(await startBroker(kind, server, own, whole));
      else destinations.push(await startDestination(own, probability));
    }
    const pulled = await pull({ folder, world, server, destinations, dice, kinds, pages, ...plan });
    for (const destination of destinations) await destination.settle?.((destination.expected ?? expected).keys());
    return judge({
      seed,
      expected,
      pulled,
      destinations,
      kinds,
      concurrency: plan.concurrency,
      pageSize: world.pageSize,
    });
  } finally {
    for (const destination of destinations) await destination.close();
    await server.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function expectedOf(seed: number, world: World, dice: Dice, lines: Lines): Promise<Expected> {
  const earlier = createWorld(seed, { isEarlier: true });
  const { lines: before } = await linesOf(earlier, dice);
  return {
    dataTypes: [...lines.keys()],
    writeWhole: (to) => unbroken(world, dice, to),
    writeEarlier: (to) => unbroken(earlier, dice, to),
    rowsOf: (tables) => expectedRows(tables, before, lines),
  };
}

/** What an unbroken run gives: the lines of each data type, from so many pages. */
async function linesOf(world: World, dice: Dice): Promise<{ readonly lines: Lines; readonly pages: number }> {
  const sink = memory();
  const pages = await unbroken(world, dice, sink);
  const lines = new Map<string, string[]>();
  for (const { dataType, bytes } of sink.batches) {
    const found = lines.get(dataType) ?? [];
    found.push(...Buffer.from(bytes).toString().split('\n').slice(0, -1));
    lines.set(dataType, found);
  }
  return { lines, pages };
}

/** Pulls everything into a sink: in this process, without a state. Resolves to the number of pages. */
async function unbroken(world: World, dice: Dice, to: Sink): Promise<number> {
  const server = await startChaosServer(world, createFaults(dice.apart('none'), 0), dice.apart('unbroken'));
  try {
    await server.beginProcess();
    await run(unchecked(world.configuration(server.origin)), { to });
    return server.account.pages.size;
  } finally {
    await server.close();
  }
}

interface Plan {
  readonly folder: string;
  readonly world: World;
  readonly server: ChaosServer;
  readonly destinations: readonly Destination[];
  readonly dice: Dice;
  readonly kinds: readonly SinkKind[];
  /** All that the API has. */
  readonly pages: number;
  readonly kills: number;
  readonly concurrency: number;
}

interface Pulled {
  readonly processes: number;
  readonly kills: number;
  readonly failures: number;
  readonly problems: readonly string[];
}

async function pull(plan: Plan): Promise<Pulled> {
  const { folder, world, server, destinations, dice, kinds, pages, kills, concurrency } = plan;
  const config = join(folder, 'config.json');
  await writeFile(config, JSON.stringify(world.configuration(server.origin)));
  const sinks = kinds.map((kind, at) => ({ recovery: recoveryOf(kind), url: destinations[at]?.url ?? '' }));
  const problems: string[] = [];
  let [processes, killed, failures] = [0, 0, 0];
  for (let isDone = false; !isDone; ) {
    await server.beginProcess();
    processes += 1;
    const orders: Orders = { config, state: join(folder, 'state'), resume: processes > 1, concurrency, sinks };
    const started = startProcess([child, JSON.stringify(orders)]);
    if (killed < kills) {
      if (kinds.some(hasLists) && dice.happens(0.5)) killAtTheEnd(server, pages, dice, started.kill);
      else killAtRandom(server, dice, started.kill);
    }
    const { exit, stderr } = await started.ended;
    killed += exit === null ? 1 : 0;
    failures += exit === destinationFailed ? 1 : 0;
    isDone = (exit !== null && exit !== destinationFailed) || processes === mostProcesses;
    for (const dataType of await tornIn(destinations)) {
      problems.push(`a reader saw a part of ${dataType} after process ${processes}`);
    }
    if (isDone && exit !== 0) problems.push(`process ${processes} ended with ${exit}: ${stderr.slice(0, 500)}`);
  }
  return { processes, kills: killed, failures, problems };
}

async function tornIn(destinations: readonly Destination[]): Promise<readonly string[]> {
  return (await Promise.all(destinations.map((each) => each.torn?.() ?? []))).flat();
}

interface Evidence {
  readonly seed: number;
  readonly expected: Lines;
  readonly pulled: Pulled;
  readonly destinations: readonly Destination[];
  readonly kinds: readonly SinkKind[];
  readonly concurrency: number;
  readonly pageSize: number;
}

function judge({ seed, expected, pulled, destinations, kinds, concurrency, pageSize }: Evidence): SinkRun {
  const broken = [...pulled.problems];
  let [lost, duplicated, repeated] = [0, 0, 0];
  for (const [at, kind] of kinds.entries()) {
    const recovery = recoveryOf(kind);
    let more = 0;
    for (const [dataType, wanted] of destinations[at]?.expected ?? expected) {
      const got = destinations[at]?.items(dataType) ?? [];
      lost += missingFrom(got, wanted);
      more += missingFrom(wanted, got);
      const known = new Set(wanted);
      const foreign = got.filter((line) => !known.has(line));
      if (foreign.length > 0) broken.push(`sink ${at} (${recovery}) has ${foreign[0]} in ${dataType}`);
      const isInOrder = concurrency > 1 || recovery === 'none' || got.join('\n') === wanted.join('\n');
      if (!isInOrder) broken.push(`sink ${at} (${recovery}): the order of ${dataType} differs`);
    }
    if (recovery !== 'none') duplicated += more;
    else repeated += more;
    // A process that ends leaves one page of each lane under way.
    const restarts = isBroker(kind) ? (destinations[at]?.faults ?? 0) : 0;
    const most = (pulled.kills + pulled.failures + restarts) * concurrency * pageSize;
    if (recovery === 'none' && more > most) broken.push(`sink ${at} (none): ${more} items again, at most ${most} may`);
  }
  const items = [...expected.values()].reduce((sum, { length }) => sum + length, 0) * kinds.length;
  const faults = destinations.reduce((sum, destination) => sum + destination.faults, 0);
  return { seed, ...pulled, faults, items, lost, duplicated, repeated, broken };
}
