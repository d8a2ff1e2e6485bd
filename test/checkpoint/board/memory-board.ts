/** A board in memory, with a clock of its own: a lease passes when a test says so. */
import { setImmediate as turn } from 'node:timers/promises';
import {
  type Board,
  type GiveBack,
  type KnownState,
  type Lease,
  type ListedRun,
  mostDeaths,
  mostFailures,
  type OpenRun,
  parkedMs,
  type RunSpec,
  type RunStatus,
  type StateOfRun,
  type TaskState,
} from '../../../src/checkpoint/board/board.js';
import {
  type Effect,
  firstTasks,
  type LeaseServer,
  lastDepth,
  leasedStore,
  type SeededTask,
} from '../../../src/checkpoint/board/leased-store.js';
import { createPaces } from '../../../src/checkpoint/board/paces.js';
import type { JobTotals } from '../../../src/checkpoint/board/task-totals.js';
import { memoryIn } from '../../../src/checkpoint/checkpoint.js';
import { recordIn } from '../../../src/checkpoint/records.js';
import { lostState } from '../../../src/checkpoint/store/state-server.js';
import { ExtractError } from '../../../src/core/errors/errors.js';
import { usageError } from '../../../src/core/util/check-value.js';
import { defined } from '../../../src/core/util/defined.js';
import { version } from '../../../src/core/util/version.js';
import { noMemory, type RunMemory } from '../../../src/incremental/run-memory.js';

interface Task extends SeededTask {
  readonly run: string;
  readonly number: number;
  state: TaskState;
  epoch: number;
  until: number;
  worker: string;
  notBefore: number;
  fails: number;
  deaths: number;
  error: string | undefined;
  records: readonly string[];
  totals: readonly JobTotals[];
  publishing: boolean;
  taken: number;
}

interface Run {
  readonly spec: RunSpec;
  readonly submitted: number;
  isCancelled: boolean;
  /** The generation of its state. */
  readonly generation: number;
}

interface StoredState {
  readonly generation: number;
  readonly remembered: RunMemory;
}

interface PartOfTask {
  readonly run: string;
  readonly task: string;
  readonly pieces: Map<number, Uint8Array>;
}

/** What all processes see. */
interface State {
  readonly runs: Map<string, Run>;
  readonly tasks: Task[];
  readonly parts: Map<string, PartOfTask>;
  readonly states: Map<string, StoredState>;
  now: number;
  /** The highest epoch of all tasks that were removed. */
  swept: number;
}

export interface MemoryBoard {
  /** A process at the board. */
  connect(): Board;
  /** Moves the clock of the board, in ms. */
  pass(ms: number): void;
  /** Tasks that wait for a time can be taken at once. */
  wake(): void;
  /** The lease passes at once. */
  lapse(lease: Lease): void;
  readonly tasks: readonly Readonly<Task>[];
  readonly parts: ReadonlyMap<string, unknown>;
}

/** In ms. */
export const leaseOfMemory = 1000;

export function memoryBoard(): MemoryBoard {
  const state: State = { runs: new Map(), tasks: [], parts: new Map(), states: new Map(), now: 0, swept: 0 };
  return {
    connect: () => boardIn(state),
    pass(ms) {
      state.now += ms;
    },
    wake() {
      for (const task of state.tasks) task.notBefore = 0;
    },
    lapse(lease) {
      const task = taskOf(state, lease);
      if (task !== undefined) task.until = state.now;
    },
    tasks: state.tasks,
    parts: state.parts,
  };
}

function boardIn(state: State): Board {
  const paces = createPaces();
  return {
    async submit(spec) {
      await turn();
      if (state.runs.has(spec.name)) throw usageError(`there is a run "${spec.name}" already`);
      const generation = spec.state === undefined ? 0 : takeState(state, spec.state);
      state.runs.set(spec.name, { spec, submitted: state.now, isCancelled: false, generation });
      make(state, spec.name, firstTasks(spec));
    },
    state: async (name) => knownState(state, name),
    find: async (run) => state.runs.get(run)?.spec,
    async take(worker) {
      await turn();
      return take(state, worker);
    },
    async beat(lease) {
      await turn();
      const task = taskOf(state, lease);
      if (task?.state !== 'leased' || state.runs.get(lease.run)?.isCancelled === true) return false;
      task.until = state.now + leaseOfMemory;
      return true;
    },
    open: (lease, spec, crowd) =>
      leasedStore(() => serverOf(state, lease), { lease, spec, paces, ...defined({ crowd }) }),
    async giveBack(lease, why) {
      await turn();
      const task = taskOf(state, lease);
      if (task?.state !== 'leased') return false;
      leave(state, task, why);
      return true;
    },
    runs: async () => [...state.runs.keys()].flatMap((run) => listedRun(state, run) ?? []),
    openRuns: async () => openRuns(state),
    status: async (run) => statusOf(state, run),
    totals: async (run) => totalsOf(state, run),
    async cancel(name) {
      const run = state.runs.get(name);
      const last = publisherOf(state, name);
      if (run === undefined || last?.state === 'done') return false;
      if (last?.publishing === true && last.state === 'leased' && last.until > state.now) return false;
      run.isCancelled = true;
      for (const task of tasksOf(state, name, 'leased')) Object.assign(task, { state: 'ready', epoch: task.epoch + 1 });
      return true;
    },
    async retry(name) {
      const run = state.runs.get(name);
      if (run === undefined || publisherOf(state, name)?.state === 'done' || !hasState(state, run)) return false;
      run.isCancelled = false;
      const again = { state: 'ready', fails: 0, deaths: 0, notBefore: 0 };
      for (const task of tasksOf(state, name, 'failed')) Object.assign(task, again);
      return true;
    },
    sweep: async (age, run) => sweep(state, age, run),
    end() {},
  };
}

const unknownState: StoredState = { generation: 0, remembered: noMemory };

function takeState({ states }: State, { name, generation }: StateOfRun): number {
  const found = states.get(name) ?? unknownState;
  if (found.generation !== generation)
    throw new ExtractError('ERR_STATE', `the state "${name}" changes at this moment`);
  states.set(name, { ...found, generation: generation + 1 });
  return generation + 1;
}

function knownState(state: State, name: string): KnownState {
  const users = [...state.runs.values()].filter(({ spec }) => spec.state?.name === name);
  const usedBy = users.find(({ spec }) => listedRun(state, spec.name)?.state === 'running')?.spec.name;
  return { name, ...(state.states.get(name) ?? unknownState), ...defined({ usedBy }) };
}

const hasState = ({ states }: State, { spec, generation }: Run): boolean =>
  spec.state === undefined || states.get(spec.state.name)?.generation === generation;

/** What is remembered moves, if nothing else has changed the state. */
function moveState(state: State, name: string, record: string): void {
  const run = state.runs.get(name);
  if (run?.spec.state === undefined || !hasState(state, run)) return;
  state.states.set(run.spec.state.name, { generation: run.generation + 1, remembered: memoryIn([recordIn(record)]) });
}

const publisherOf = ({ tasks }: State, run: string) =>
  tasks.find((each) => each.run === run && each.depth === lastDepth);

const taskOf = ({ tasks }: State, { run, task, epoch }: Lease) =>
  tasks.find((each) => each.run === run && each.task === task && each.epoch === epoch);

const tasksOf = ({ tasks }: State, run: string, state: TaskState) =>
  tasks.filter((each) => each.run === run && each.state === state);

function make(state: State, run: string, tasks: readonly SeededTask[]): void {
  const before = new Set(state.tasks.flatMap((each) => (each.run === run ? [each.task] : [])));
  for (const made of tasks) {
    if (before.has(made.first)) continue;
    const fresh = {
      epoch: 0,
      until: 0,
      worker: '',
      notBefore: 0,
      fails: 0,
      deaths: 0,
      error: undefined,
      totals: [],
      publishing: false,
      taken: 0,
    };
    state.tasks.push({ ...made, run, number: state.tasks.length, state: 'ready', ...fresh, records: made.journal });
  }
}

const mayTake = (run: Run | undefined): boolean =>
  run !== undefined && !run.isCancelled && run.spec.begin.version === version;

const areDone = ({ tasks }: State, run: string): boolean =>
  tasks.every((each) => each.run !== run || each.state === 'done' || each.depth === lastDepth);

function take(state: State, worker: string): Lease | undefined {
  for (;;) {
    const free = state.tasks.filter(
      ({ run, depth, state: is, until, notBefore }) =>
        mayTake(state.runs.get(run)) &&
        (depth > lastDepth || areDone(state, run)) &&
        ((is === 'ready' && notBefore <= state.now) || (is === 'leased' && until <= state.now)),
    );
    const [task] = free.sort((a, b) => b.depth - a.depth || a.number - b.number);
    if (task === undefined) return undefined;
    task.epoch = Math.max(task.epoch, state.swept) + 1;
    task.worker = worker;
    task.taken = state.now;
    if (task.state === 'leased') task.deaths += 1;
    task.until = state.now + leaseOfMemory;
    task.state = task.deaths >= mostDeaths ? 'failed' : 'leased';
    if (task.state === 'leased') return { run: task.run, task: task.task, epoch: task.epoch };
    task.error = `${mostDeaths} processes ended while they had it`;
  }
}

function leave(state: State, task: Task, why: GiveBack): void {
  task.state = 'ready';
  if (why === 'parked') task.notBefore = state.now + parkedMs;
  if (typeof why === 'string') return;
  task.error = why.error;
  task.notBefore = state.now + why.delay * 2 ** task.fails;
  if (why.isOfWorker === true) return;
  task.fails += why.isLasting === true ? mostFailures : 1;
  if (task.fails >= mostFailures) task.state = 'failed';
}

function mustHaveState(state: State, name: string): void {
  const run = state.runs.get(name);
  if (run !== undefined && !hasState(state, run)) throw new ExtractError('ERR_STATE', 'the state has changed since');
}

function serverOf(state: State, lease: Lease): LeaseServer {
  const { run, task } = lease;
  const name = `memory://board ${run}/${task}`;
  const keyOf = (part: string) => `${run} ${part}`;
  const mine = (): Task => {
    const own = taskOf(state, lease);
    if (own === undefined || own.state === 'ready' || own.state === 'failed') throw lostState(name);
    return own;
  };
  const apply = (own: Task, { tasks, isDone, totals, isPublishing, memory }: Effect) => {
    own.totals = totals;
    own.publishing ||= isPublishing;
    if (isDone) own.state = 'done';
    if (memory !== undefined) moveState(state, run, memory);
    make(state, run, tasks);
  };
  return {
    name,
    secrets: [],
    load: async () => taskOf(state, lease)?.records ?? [],
    async replace(records, effect) {
      await turn();
      const own = mine();
      own.records = records;
      apply(own, effect);
    },
    async append(records, effect) {
      await turn();
      const own = mine();
      if (effect.isPublishing) mustHaveState(state, run);
      own.records = [...own.records, ...records];
      if (records.some((record) => record.startsWith('{"type":"page"'))) Object.assign(own, { fails: 0, deaths: 0 });
      apply(own, effect);
    },
    async *others() {
      for (const other of state.tasks) {
        await turn();
        if (other.run === run && other.task !== task) yield other;
      }
    },
    countReady: async (most) => Math.min(most, tasksOf(state, run, 'ready').length),
    async partNames() {
      const made = [...state.parts].filter(([, part]) => part.run === run && part.task === task);
      return [...made.map(([key]) => key.slice(run.length + 1)), ...(taskOf(state, lease)?.parts ?? [])];
    },
    async writePart(part, position, bytes) {
      await turn();
      mine();
      const found = state.parts.get(keyOf(part)) ?? { run, task, pieces: new Map<number, Uint8Array>() };
      state.parts.set(keyOf(part), found);
      found.pieces.set(position, Buffer.from(bytes));
    },
    readPart: async (part, { position }) => state.parts.get(keyOf(part))?.pieces.get(position),
    async removePart(part) {
      if (taskOf(state, lease) === undefined) return;
      const maker = state.parts.get(keyOf(part))?.task;
      const needs = (each: Task) => each.parts.includes(part) || (each.task === maker && each.task !== task);
      const isNeeded = state.tasks.some((each) => each.run === run && each.state !== 'done' && needs(each));
      if (!isNeeded) state.parts.delete(keyOf(part));
    },
    end() {},
  };
}

function openRuns(state: State): readonly OpenRun[] {
  const open = [...state.runs].filter(
    ([name, { isCancelled }]) => !isCancelled && publisherOf(state, name)?.state !== 'done',
  );
  return open
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name]) => {
      const [ready, leased] = [tasksOf(state, name, 'ready'), tasksOf(state, name, 'leased')];
      const waiting = ready.filter(({ notBefore }) => notBefore > state.now).length;
      const [done, failed] = [tasksOf(state, name, 'done').length, tasksOf(state, name, 'failed').length];
      const tasks = { ready: ready.length - waiting, waiting, leased: leased.length, done, failed };
      const longest = state.now - Math.min(...leased.map(({ taken }) => taken));
      return { name, tasks, ...(leased.length === 0 ? {} : { longestLease: longest }) };
    });
}

function listedRun(state: State, name: string): ListedRun | undefined {
  const run = state.runs.get(name);
  if (run === undefined) return undefined;
  const count = (each: TaskState) => tasksOf(state, name, each).length;
  const tasks = { ready: count('ready'), leased: count('leased'), done: count('done'), failed: count('failed') };
  const waits = tasks.failed > 0 && tasksOf(state, name, 'ready').some(({ depth }) => depth === lastDepth);
  const left = tasks.ready + tasks.leased - (waits ? 1 : 0);
  const leased = tasksOf(state, name, 'leased').map(({ worker }) => worker);
  return {
    name,
    state: stateOf(tasks, left, run.isCancelled),
    version: run.spec.begin.version,
    submittedAt: run.submitted,
    tasks,
    workers: [...new Set(leased)].sort().map((worker) => ({
      name: worker,
      tasks: leased.filter((each) => each === worker).length,
    })),
  };
}

function stateOf({ failed }: ListedRun['tasks'], left: number, isCancelled: boolean): ListedRun['state'] {
  if (failed + left === 0) return 'done';
  if (isCancelled) return 'cancelled';
  return left > 0 ? 'running' : 'failed';
}

function totalsOf({ tasks }: State, run: string): readonly JobTotals[] {
  const own = tasks.filter((each) => each.run === run).flatMap(({ totals }) => totals);
  return [...new Set(own.map(({ job }) => job))].sort().map((job) => {
    const all = own.filter((each) => each.job === job);
    const sum = (of: (each: JobTotals) => number) => all.reduce((total, each) => total + of(each), 0);
    return {
      job,
      requests: sum(({ requests }) => requests),
      pages: sum(({ pages }) => pages),
      items: sum(({ items }) => items),
      bytes: sum(({ bytes }) => bytes),
      retries: sum(({ retries }) => retries),
    };
  });
}

function statusOf(state: State, name: string): RunStatus | undefined {
  const run = listedRun(state, name);
  if (run === undefined) return undefined;
  const errors = state.tasks.flatMap((each) =>
    each.run === name && each.error !== undefined && each.state !== 'done'
      ? [{ task: each.task, error: each.error }]
      : [],
  );
  return { ...run, errors: errors.slice(0, 5) };
}

function sweep(state: State, age: number, only: string | undefined): readonly string[] {
  const old = [...state.runs].flatMap(([name, { submitted }]) => {
    const hasLeft = tasksOf(state, name, 'leased').length > 0 || listedRun(state, name)?.state === 'running';
    const isOther = only !== undefined && only !== name;
    return submitted > state.now - age || hasLeft || isOther ? [] : [name];
  });
  for (const name of old) {
    state.runs.delete(name);
    for (const { run, epoch } of state.tasks) if (run === name) state.swept = Math.max(state.swept, epoch);
    const kept = state.tasks.filter(({ run }) => run !== name);
    state.tasks.splice(0, state.tasks.length, ...kept);
    for (const [key, { run }] of state.parts) if (run === name) state.parts.delete(key);
  }
  return old;
}
