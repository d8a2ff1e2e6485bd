/**
 * A board: the tasks of runs that many processes share, and the journal of each. A process has a task under a lease. A
 * lease that has passed can be taken by another process, and what the first one writes then is refused: its epoch is
 * older. No clock of a process decides anything. docs/decisions/073-a-task-is-a-position-to-resume-from.md.
 */
import type { RunMemory } from '../../incremental/run-memory.js';
import type { RunOfTasks } from '../seeds.js';
import type { Store } from '../store/store.js';
import type { JobTotals } from './task-totals.js';

/** A run, as it is submitted. */
export interface RunSpec extends RunOfTasks {
  readonly name: string;
  /** How many rows of a page a task gets, from 1. Absent: as many as take some seconds. */
  readonly block?: number;
  /** What a worker needs to run it, such as its configuration: the board does not read it. Without secrets. */
  readonly work: string;
  /** The state that has what the run remembers: it moves when the run is done. Absent: nothing is remembered. */
  readonly state?: StateOfRun;
}

export interface StateOfRun {
  readonly name: string;
  /** Of the state when it was read for the run. */
  readonly generation: number;
}

/** A state at a board, between two runs. */
export interface KnownState extends StateOfRun {
  readonly remembered: RunMemory;
  /** The run that has it, and has not ended. */
  readonly usedBy?: string;
}

/** The right to work at a task until it passes. */
export interface Lease {
  readonly run: string;
  readonly task: string;
  /** One more with each process that takes the task. */
  readonly epoch: number;
}

/** Why a process leaves a task that is not done. */
export type GiveBack =
  | {
      /** Without secrets. */
      readonly error: string;
      /** In ms, until another attempt; twice as long after each one that has failed before. */
      readonly delay: number;
      /** This process cannot do the task, and another one may: it does not count as an attempt. */
      readonly isOfWorker?: boolean;
      /** Another attempt gets the same error: the task has failed. */
      readonly isLasting?: boolean;
    }
  /** The process ends: another one can take the task at once, and it does not count as an attempt. */
  | 'drained'
  /** The task makes others faster than they are done: the same after `parkedMs`. */
  | 'parked';

/** A task that is parked is not taken for so long, in ms. Deeper ones are taken before it after that too. */
export const parkedMs = 1000;

/** What a process wants to know of the tasks that follow from its own. */
export interface Crowd {
  /** So many tasks of a run may wait for a process. */
  readonly most: number;
  /** Called once, when the task has made others and more of them wait. */
  onCrowded(): void;
}

export type TaskState = 'ready' | 'leased' | 'done' | 'failed';

/** A run, as a list of runs has it. */
export interface ListedRun {
  readonly name: string;
  /** `done`: it is published. `failed`: nothing is left to do but tasks that have failed, and publishing. */
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  /** Of rxtract: processes of other versions take none of its tasks. */
  readonly version: string;
  /** In epoch ms, by the clock of the board. */
  readonly submittedAt: number;
  readonly tasks: Readonly<Record<TaskState, number>>;
  /** The processes that have tasks, and how many. */
  readonly workers: readonly { readonly name: string; readonly tasks: number }[];
}

export interface RunStatus extends ListedRun {
  /** Why tasks failed last; a few of them. */
  readonly errors: readonly { readonly task: string; readonly error: string }[];
}

/** Where a task is, for metrics. `waiting`: it is parked, or has failed and is tried again later. */
export type TaskPlace = TaskState | 'waiting';

/** A run that has not ended, for metrics. */
export interface OpenRun {
  readonly name: string;
  readonly tasks: Readonly<Record<TaskPlace, number>>;
  /** How long the process has its task that has had one longest, in ms. Absent: no process has one. */
  readonly longestLease?: number;
}

/**
 * Rejects with ERR_STATE if it cannot be reached, and with another error if that cannot change: it refuses the user, or
 * a package is missing. All calls may overlap.
 */
export interface Board {
  /**
   * Adds a run, a task for each top-level job or for parts of it, and one that publishes, all at once. Rejects with
   * ERR_USAGE if its name is taken, and with ERR_STATE if its state has changed since it was read.
   */
  submit(run: RunSpec): Promise<void>;
  /** A state; one that is not there remembers nothing. Rejects with ERR_STATE if a process uses it. */
  state(name: string): Promise<KnownState>;
  /** A run; undefined: there is none. */
  find(run: string): Promise<RunSpec | undefined>;
  /**
   * Takes a task of this version of rxtract, a deeper one first. The one that publishes a run is taken when all its
   * others are done: a task is not done before those are there that follow from it. Undefined: there is none now.
   */
  take(worker: string): Promise<Lease | undefined>;
  /** Extends the lease. False: it is lost, or the run is cancelled. */
  beat(lease: Lease): Promise<boolean>;
  /**
   * The journal of the task. Records and the tasks that follow from them are written at once; `done` ends the task too.
   * All writes reject with ERR_STATE when the lease is lost.
   */
  open(lease: Lease, spec: RunSpec, crowd?: Crowd): Store;
  /**
   * Leaves the task to other processes. A task that has failed five times without a page between is not taken again.
   * False: it is lost.
   */
  giveBack(lease: Lease, why: GiveBack): Promise<boolean>;
  /** All runs, in the order in which they were submitted. */
  runs(): Promise<readonly ListedRun[]>;
  /** Runs that have not ended, and were not cancelled, by name. */
  openRuns(): Promise<readonly OpenRun[]>;
  /** Undefined: there is no such run. */
  status(run: string): Promise<RunStatus | undefined>;
  /** What the jobs of a run have come to, by the records of its tasks so far. */
  totals(run: string): Promise<readonly JobTotals[]>;
  /**
   * Leases are lost, and no task is taken any more. False: there is no such run, it is done, or a process publishes it.
   */
  cancel(run: string): Promise<boolean>;
  /**
   * Tasks that have failed can be taken again, and those of a cancelled run. False: there is no such run, it is done,
   * or its state has changed, as by a later run.
   */
  retry(run: string): Promise<boolean>;
  /**
   * Removes runs that were submitted so many ms ago and of which no task is left, and cancelled ones. Returns their
   * names. `run`: no other one.
   */
  sweep(age: number, run?: string): Promise<readonly string[]>;
  /** Closes its connections. */
  end(): void;
}

/** How long a process has a task without a beat, in ms. */
export const usualLease = 30_000;

/** A task that fails so often is not taken again until `retry`. */
export const mostFailures = 5;

/** The same for one whose processes died so often: it may be the task that ends them. */
export const mostDeaths = 20;
