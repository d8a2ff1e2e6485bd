/** The store of a task: its journal and its parts, as the process with the lease has them. */
import { ExtractError } from '../../core/errors/errors.js';
import type { RunMemory } from '../../incremental/run-memory.js';
import { type BeginRecord, isPublisher, type PhaseRecord, recordIn, type StateRecord, textOf } from '../records.js';
import {
  createSeeding,
  journalOf,
  partsOfSeed,
  rowsOfTask,
  type Seed,
  type Seeding,
  seedsOfJobs,
  withoutShared,
  withShared,
} from '../seeds.js';
import { failing, openServerStore } from '../store/server-store.js';
import type { StateServer } from '../store/state-server.js';
import type { Store } from '../store/store.js';
import type { Crowd, Lease, RunSpec } from './board.js';
import type { Measure, Paces } from './paces.js';
import { sumOfTasks, type TaskJournal } from './sum-of-tasks.js';
import { createTaskTotals, type JobTotals } from './task-totals.js';

/** What a board does for one lease. Calls that write come one after the other, but for those of parts. */
export interface LeaseServer extends Omit<StateServer, 'read' | 'take' | 'touch' | 'release' | 'append' | 'replace'> {
  /** Replaces all records at once, with what follows from them. */
  replace(records: readonly string[], effect: Effect): Promise<void>;
  /** Appends records, with what follows from them: all or nothing. */
  append(records: readonly string[], effect: Effect): Promise<void>;
  /** How many tasks of the run wait for a process, up to `most`. */
  countReady(most: number): Promise<number>;
  /** The journals of all other tasks of the run. */
  others(): AsyncIterable<TaskJournal>;
  /** The parts that the task has made, and those with rows that it needs. */
  partNames(): Promise<readonly string[]>;
  /** Removes a part, unless another task that is not done has made it, or needs its rows. */
  removePart(part: string): Promise<void>;
}

/** What follows from records. */
export interface Effect {
  /** Tasks to make; those that exist stay as they are. */
  readonly tasks: readonly SeededTask[];
  /** The task itself is done. */
  readonly isDone: boolean;
  /** One of them is that of a page. */
  readonly hasPage: boolean;
  /** What its jobs have come to so far. */
  readonly totals: readonly JobTotals[];
  /** The sinks of the run are published from here on. */
  readonly isPublishing: boolean;
  /** The record of what is remembered, for the state of the run. Absent: that stays as it is. */
  readonly memory?: string;
}

export interface SeededTask {
  readonly task: string;
  /** The first task of its page and child job: if it exists, this one exists too, or others with its rows. */
  readonly first: string;
  /** Deeper ones are taken first. */
  readonly depth: number;
  readonly journal: readonly string[];
  /** The parts with rows that it needs. */
  readonly parts: readonly string[];
}

/** The task that publishes the run. No seed has its name. */
export const publishing = 'publish';

/** The depth of a task that is taken when all others of its run are done. */
export const lastDepth = -1;

/** The tasks with which a run begins. */
export const firstTasks = (spec: RunSpec): readonly SeededTask[] => [
  ...seedsOfJobs(spec).map((seed) => seededTask(seed, spec)),
  {
    task: publishing,
    first: publishing,
    depth: lastDepth,
    journal: [textOf(withoutShared({ ...spec.begin, epoch: 0, task: { name: publishing } }))],
    parts: [],
  },
];

export function seededTask(seed: Seed, { begin }: Pick<RunSpec, 'begin'>): SeededTask {
  const parts = partsOfSeed(seed);
  const { task, first = task } = seed;
  return { task, first, depth: parts.length, journal: journalOf(seed, begin), parts };
}

export interface LeaseContext {
  readonly lease: Lease;
  readonly spec: RunSpec;
  /** Those of the process. */
  readonly paces: Paces;
  /** Absent: the process does not ask. */
  readonly crowd?: Crowd;
}

/** Makes the store of a lease. `connect` is called for each opening. */
export function leasedStore(connect: () => LeaseServer, context: LeaseContext): Store {
  const { lease, spec, paces } = context;
  const partPrefix = `${lease.task}-${lease.epoch}`;
  return {
    async open() {
      const server = connect();
      try {
        return await failing(server, async () => {
          const [records, parts] = [await journalIn(server, spec), await server.partNames()];
          const rows = records.length === 2 ? rowsOfTask(records.map(recordIn)) : undefined;
          const state = withEffects(server, context, rows === undefined ? undefined : paces.begin(spec, rows));
          const opened = openServerStore(state, { partPrefix, records, parts }, never);
          // The journal of the task that has made a part may need it, and those whose rows it has.
          const partNames = () => failing(server, server.partNames);
          const removePart = (name: string) => failing(server, () => server.removePart(name));
          return { ...opened, partNames, removePart, taskSize: paces.sizeOf(spec) };
        });
      } catch (thrown) {
        server.end();
        throw thrown;
      }
    },
  };
}

/** That of the task that publishes continues from the sum of all others, until its first write has stored it. */
async function journalIn(server: LeaseServer, spec: RunSpec): Promise<readonly string[]> {
  const [first, ...others] = await server.load();
  if (first === undefined) return [];
  const begin = withShared(beginIn(first), spec.begin);
  if (others.length > 0 || !isPublisher(begin)) return [textOf(begin), ...others];
  return [begin, await sumOfTasks(begin, server.others())].map(textOf);
}

/** A journal as the board stores it. */
const storedJournal = ([first = '', ...others]: readonly string[]): readonly string[] => [
  textOf(withoutShared(beginIn(first))),
  ...others,
];

const beginIn = (first: string) => recordIn(first) as BeginRecord; // each journal begins with it

const isPhase = (record: StateRecord): record is PhaseRecord => record.type === 'publishing';

/** The worker extends the lease. */
const never = () => () => {};

function withEffects(
  server: LeaseServer,
  { lease, spec, crowd }: LeaseContext,
  measure: Measure | undefined,
): StateServer {
  const [seeding, totals] = [createSeeding(), createTaskTotals()];
  let remembered: RunMemory | undefined;
  const effectOf = (write: keyof Seeding, texts: readonly string[]): Effect => {
    const records = texts.map(recordIn);
    for (const record of records) totals.take(record);
    const phase = records.find(isPhase);
    if (phase !== undefined) remembered = phase.remembered;
    const isDone = records.some(({ type }) => type === 'done');
    const moves = isDone && spec.state !== undefined ? remembered : undefined;
    return {
      tasks: seeding[write](records).map((seed) => seededTask(seed, spec)),
      isDone,
      hasPage: records.some(({ type }) => type === 'page'),
      totals: lease.task === publishing ? [] : totals.all(), // its journal has the sum of all others
      isPublishing: phase !== undefined,
      ...(moves === undefined ? {} : { memory: textOf({ type: 'memory', remembered: moves }) }),
    };
  };
  const watch = crowd === undefined ? () => {} : crowdWatch(server, crowd);
  const ofBoard = async () => {
    throw new ExtractError('ERR_INTERNAL', 'a lease is taken at its board');
  };
  return {
    ...server,
    read: ofBoard,
    take: ofBoard,
    touch: ofBoard,
    release: async () => {},
    replace: (texts) => server.replace(storedJournal(texts), effectOf('replace', texts)),
    async append(texts) {
      const effect = effectOf('append', texts);
      await server.append(texts, effect);
      if (effect.isDone) measure?.done();
      else if (effect.tasks.length > 0) watch();
      if (effect.hasPage) measure?.page();
    },
  };
}

/** Looks whether too many tasks wait, each time that the task has made some. */
function crowdWatch(server: LeaseServer, { most, onCrowded }: Crowd): () => void {
  let isOver = false;
  const look = async () => {
    const isCrowded = !isOver && (await server.countReady(most + 1)) > most;
    if (!isCrowded || isOver) return;
    isOver = true;
    onCrowded();
  };
  return () => void look().catch(() => {}); // the next write fails too
}
