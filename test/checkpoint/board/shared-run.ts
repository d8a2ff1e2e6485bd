/** A run that workers share over a board in memory. They stop at any moment, and some go on when it is too late. */
import { setImmediate as turn } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Earlier, Sink } from '../../../sinks/contract.js';
import type { Board, Crowd, Lease, RunSpec } from '../../../src/checkpoint/board/board.js';
import { memoryIn, openCheckpoint } from '../../../src/checkpoint/checkpoint.js';
import { recordIn } from '../../../src/checkpoint/records.js';
import type { OpenStore, Store } from '../../../src/checkpoint/store/store.js';
import type { Configuration } from '../../../src/config/configuration.js';
import type { Exact } from '../../../src/core/json/exact.js';
import { defined } from '../../../src/core/util/defined.js';
import type { RunMemory } from '../../../src/incremental/run-memory.js';
import { runToCompletion } from '../../../src/run/consume/run-to-completion.js';
import { describeRun } from '../../../src/run/describe-run.js';
import { extract } from '../../../src/run/extract.js';
import type { Extraction } from '../../../src/run/extraction.js';
import type { Summary } from '../../../src/run/job-stats.js';
import { type Destination, transactionLog } from '../../sinks/transaction-log.js';
import { type MemoryBoard, memoryBoard } from './memory-board.js';
import type { Draw } from './random-scene.js';

export interface SharedOptions {
  readonly concurrency: number;
  /** Undefined: tasks have as many rows as take some seconds; with faults, any number. */
  readonly block: number | undefined;
  /** Tasks that make others are parked when more of them wait. */
  readonly mostReady?: number | undefined;
  readonly to: Destination;
  /** Makes the sink of a process. Absent: a log at `to`. */
  readonly make?: (() => Sink) | undefined;
  readonly minItems?: Readonly<Record<string, number>>;
  /** Random faults; absent: there are none. */
  readonly draw?: Draw | undefined;
}

/** What happened. */
export interface Shared {
  readonly board: MemoryBoard;
  readonly killed: number;
  /** Processes that were suspended, and whose writes were refused afterwards. */
  readonly refused: number;
  /** Tasks that were parked. */
  readonly parked: number;
  /** How often the sink was published. */
  readonly published: number;
  /** Of the process that has published. */
  readonly summary: Summary | undefined;
  /** What is remembered after the run. */
  readonly memory: RunMemory;
}

/** Submits the run, and works at it until no task is left. */
export async function runShared(configuration: Configuration, options: SharedOptions): Promise<Shared> {
  const { to, block, draw } = options;
  const board = memoryBoard();
  const client = board.connect();
  const start = await describeRun(configuration, {
    to: options.make?.() ?? transactionLog(to, {}, { leave() {} }),
    ...settingsOf(options),
  });
  await client.submit({ ...start, name: 'shared', ...defined({ block }), work: '' });
  const spec = await client.find('shared');
  assert.ok(spec);
  const trial: Trial = {
    board,
    client,
    spec,
    configuration,
    options,
    counts: { killed: 0, refused: 0, parked: 0, published: 0 },
    summary: undefined,
    workers: [],
    failure: undefined,
  };
  for (let index = 0; index < 3; index += 1) startWorker(trial, draw);
  for (const worker of trial.workers) await worker; // it grows
  if (trial.failure !== undefined) throw trial.failure.thrown;
  assert.equal((await client.status('shared'))?.errors, []);
  assert.is((await client.status('shared'))?.state, 'done');
  const records = board.tasks.find(({ task }) => task === 'publish')?.records ?? [];
  return { board, ...trial.counts, summary: trial.summary, memory: memoryIn(records.map(recordIn)) };
}

const settingsOf = ({ concurrency, minItems = {} }: SharedOptions) => ({ concurrency, minItems });

/** The log of one process. The one that publishes it is no member, and has no older epoch than another one. */
function sharedLog({ options: { to }, counts }: Trial): Sink {
  let mine: Earlier | undefined;
  const log = logWithIds(to, { leave() {} });
  return {
    ...log,
    resume(earlier) {
      mine = earlier;
      return log.resume?.(earlier);
    },
    close() {
      assert.equal([mine?.member, mine?.phase], [undefined, 'publishing']);
      if (to.epochs.get(mine?.run ?? '') !== mine?.epoch) throw new Error('fenced');
      counts.published += 1;
    },
  };
}

/** A log of which each line has the id of its item: its walk, page and place, as queues get them. */
export function logWithIds(to: Destination, more: Partial<Sink> = {}): Sink {
  const log = transactionLog(to, {}, more);
  return {
    ...log,
    write(batch, signal) {
      const { walk, page, offset, bytes } = batch;
      const lines = Buffer.from(bytes).toString().split('\n').slice(0, -1);
      const named = lines.map((line, index) => `${walk}/${page}/${offset + index} ${line}\n`);
      return log.write({ ...batch, bytes: Buffer.from(named.join('')) }, signal);
    },
  };
}

interface Trial {
  readonly board: MemoryBoard;
  readonly client: Board;
  readonly spec: RunSpec;
  readonly configuration: Configuration;
  readonly options: SharedOptions;
  readonly counts: { killed: number; refused: number; parked: number; published: number };
  summary: Summary | undefined;
  readonly workers: Promise<void>[];
  failure: { readonly thrown: unknown } | undefined;
}

function startWorker(trial: Trial, draw: Draw | undefined): void {
  const work = async () => {
    while (trial.failure === undefined && (await trial.client.status('shared'))?.state === 'running') {
      const lease = await trial.client.take('worker');
      if (lease === undefined) {
        trial.board.wake();
        await turn();
      } else await workAt(trial, lease, draw === undefined ? 'none' : randomFate(draw));
    }
  };
  const failed = (thrown: unknown) => {
    trial.failure ??= { thrown };
  };
  trial.workers.push(work().catch(failed));
}

/** What becomes of a process: at write `at`, of those to the store, or at commit `at` of its sink. */
type Fate =
  | 'none'
  | { readonly kind: 'killed' | 'killed after it' | 'suspended'; readonly place: Place; readonly at: number };

type Place = 'store' | 'sink';

function randomFate(draw: Draw): Fate {
  if (draw(5) < 2) return 'none';
  const kind = (['killed', 'killed after it', 'suspended'] as const)[draw(3)] ?? 'killed';
  return { kind, place: draw(3) === 0 ? 'sink' : 'store', at: draw(7) };
}

async function workAt(trial: Trial, lease: Lease, fate: Fate): Promise<void> {
  const { client, spec, configuration, options, counts } = trial;
  const life = createLife(trial, lease, fate);
  const log = options.make?.() ?? sharedLog(trial);
  const commit: Sink['commit'] = async (page, signal) => {
    let checkpoint: Exact | undefined;
    await life.step('sink', async () => {
      checkpoint = (await log.commit?.(page, signal)) ?? undefined;
    });
    return checkpoint;
  };
  const close: Sink['close'] = (closing) => life.step('sink', async () => log.close(closing));
  const sink = { ...log, commit, close };
  const parking = createParking(options);
  const store = mortal(client.open(lease, spec, parking.crowd), life.step, randomSize(options));
  try {
    const checkpoint = await openCheckpoint(store, { resume: true });
    const extraction = extract(configuration, { to: sink, checkpoint, ...settingsOf(options) });
    parking.begin(extraction);
    await runToCompletion(() => extraction, { signals: [parking.signal] }).finally(checkpoint.close);
    if (lease.task === 'publish') trial.summary = extraction.summary();
    assert.ok(!life.wasSuspended(), 'a process that was suspended has ended its task');
  } catch (thrown) {
    if (parking.signal.aborted && !life.isOver() && (await client.giveBack(lease, 'parked'))) {
      counts.parked += 1;
      return;
    }
    const own = trial.board.tasks.find(({ task }) => task === lease.task);
    // The page in progress was the end of the task.
    if (parking.signal.aborted && own?.epoch === lease.epoch && own.state === 'done') return;
    if (!life.isOver() && own?.epoch === lease.epoch) throw thrown;
    if (life.wasSuspended()) counts.refused += 1;
    else counts.killed += 1;
    trial.board.lapse(lease);
  }
}

/** Parks a task when too many wait: it ends after its pages in progress. */
function createParking({ mostReady }: SharedOptions) {
  const ending = new AbortController();
  let extraction: Extraction | undefined;
  const park = async () => {
    await extraction?.stop();
    ending.abort();
  };
  const crowd: Crowd | undefined =
    mostReady === undefined ? undefined : { most: mostReady, onCrowded: () => void park() };
  return {
    signal: ending.signal,
    crowd,
    begin(begun: Extraction) {
      extraction = begun;
    },
  };
}

type Step = (place: Place, work: () => Promise<void>) => Promise<void>;

/** Runs the steps of a process up to its end. One that is suspended goes on when another one has ended its task. */
function createLife(trial: Trial, lease: Lease, fate: Fate) {
  let state: 'alive' | 'killed' | 'suspended' = 'alive';
  let count = 0;
  const suspend = async () => {
    state = 'suspended';
    trial.board.lapse(lease);
    startWorker(trial, undefined);
    while (trial.board.tasks.find(({ task }) => task === lease.task)?.state !== 'done') {
      if (trial.failure !== undefined) throw trial.failure.thrown;
      await turn();
    }
  };
  const step: Step = async (place, work) => {
    if (state === 'killed') throw new Error('killed');
    if (fate === 'none' || place !== fate.place) return work();
    count += 1;
    if (count !== fate.at + 1) return work();
    if (fate.kind === 'suspended') await suspend();
    else if (fate.kind === 'killed after it') await work();
    if (fate.kind === 'suspended') return work();
    state = 'killed';
    throw new Error('killed');
  };
  return { step, isOver: () => state !== 'alive', wasSuspended: () => state === 'suspended' };
}

/** Tasks of random sizes: only what is recorded says which tasks there are. */
function randomSize({ block, draw }: SharedOptions): Pick<OpenStore, 'taskSize'> {
  return block === undefined && draw !== undefined ? { taskSize: { least: 2, rowsOf: () => 1 + draw(4) } } : {};
}

/** A store whose process ends with it. */
function mortal(store: Store, step: Step, size: Pick<OpenStore, 'taskSize'>): Store {
  return {
    async open(): Promise<OpenStore> {
      const opened = await store.open();
      return {
        ...opened,
        ...size,
        replace: (records) => step('store', () => opened.replace(records)),
        append: (records) => step('store', () => opened.append(records)),
        sync: (records) => step('store', () => opened.sync(records)),
        async createPart() {
          const part = await opened.createPart();
          return {
            ...part,
            async write(bytes) {
              await step('store', async () => {});
              return part.write(bytes);
            },
          };
        },
      };
    },
  };
}
