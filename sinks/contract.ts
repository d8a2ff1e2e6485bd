/** The contract of sinks: where items go. */
import type { ObservableInput } from 'rxjs';
import type { Exact } from '../src/core/json/exact.js';
import type { Batch } from '../src/core/model/batch.js';
import type { PagePlace } from '../src/core/model/batch-place.js';

/**
 * How a sink gets rid of a page that must not count. `cut`: what follows the last commit is cut off, by a checkpoint
 * that the journal keeps. `transaction`: a page counts with its commit, and the sink remembers it. `ids`: items that
 * come again have the same ids, and the destination drops them. `none`: not at all.
 */
export type Recovery = 'cut' | 'transaction' | 'ids' | 'none';

/**
 * How often an item arrives if a run is interrupted and resumed. `effectively once`: it may come again, under the same
 * id, so that the destination can tell.
 */
export type Guarantee = 'exactly once' | 'effectively once' | 'at least once';

const guarantees: Readonly<Record<Recovery, Guarantee>> = {
  cut: 'exactly once',
  transaction: 'exactly once',
  ids: 'effectively once',
  none: 'at least once',
};

/** What a sink can promise: it follows from its `recovery`. */
export const guaranteeOf = ({ recovery = 'none' }: Pick<Sink, 'recovery'>): Guarantee => guarantees[recovery];

/** What several sinks together can promise. */
export function weakest(all: readonly Guarantee[]): Guarantee {
  if (all.includes('at least once')) return 'at least once';
  return all.includes('effectively once') ? 'effectively once' : 'exactly once';
}

/** The run that begins, and what it left in the sink if it was interrupted. */
export interface Earlier {
  /** The name of the run: 16 characters, kept by a resume. */
  readonly run: string;
  /** 1, and one more with each resume: a process with a lower one must not write any more. */
  readonly epoch: number;
  /** A fresh start takes the place of this unfinished run: what that had staged can go. */
  readonly replaces?: string;
  /** The run keeps a state: what `commit` returns is stored. */
  readonly isStored: boolean;
  /** `publishing`: all had been written, and `close` may have been called. */
  readonly phase: 'writing' | 'publishing';
  /** By data type, what the last stored `commit` returned; empty for a fresh start. `cut` only. */
  readonly checkpoints: ReadonlyMap<string, Exact>;
}

/** The end of a page of which a sink got items. */
export interface PageEnd extends PagePlace {
  readonly job: string;
  readonly dataType: string;
  /** Items of the page that the sink got. */
  readonly count: number;
  /** Bytes of these items. */
  readonly bytes: number;
  /** The top-level walk that the page belongs to: pages of one lane come one after the other. The key of `keep`. */
  readonly lane: string;
  /**
   * Where the lane stands after this page, opaque. A `transaction` sink stores it under run and lane, in the transaction
   * of the items, in place of the one before. Absent for other sinks, and if the run keeps no state.
   */
  readonly keep?: string;
}

/** What a run gives to a sink with each data type. */
export interface Opening {
  /**
   * Fails the run at once with what a batch failed at that `write` had taken already: no further request goes out. The
   * sink calls it where no call waits that could reject; later calls fail all the same.
   */
  readonly onFailure?: (thrown: unknown) => void;
}

/** What a run that succeeded says to a sink. */
export interface Closing {
  /** Data types without items whose earlier output `published` has named: `close` leaves it as it is. */
  readonly keep: ReadonlySet<string>;
}

/**
 * Where items go. `write` settles when the sink has room for more; the engine sends nothing else to that data type
 * until then. A sink may accept a batch and write it later: a write that fails then makes its next call for that data
 * type fail, and `close`. A page ends with `commit`; `rollback` takes back what came after the last commit.
 *
 * `cut` needs `resume`, `commit` and `rollback`; `transaction` needs `held` too. docs/04-sinks.md#the-contract.
 */
export interface Sink<Item = unknown> {
  /** What messages and the summary call it, such as `ndjson:out`. */
  readonly name?: string;
  /** Absent: `none`. */
  readonly recovery?: Recovery;
  /** `ids`: for how many ms the destination remembers an id. */
  readonly window?: number;
  /** `transaction`: the longest `keep` that it can store, in bytes; absent: any. */
  readonly keepBytes?: number;
  /** Announces a data type and the job that will write it, before any request. */
  open?(dataType: string, job: string, opening?: Opening): void | Promise<void>;
  /**
   * Called in every run, before `open`. Stops writers of older epochs, and brings the output back to the checkpoints.
   * Throws ERR_RESUME if the output is not what it was, and has changed nothing then; it may be called once more, with
   * earlier checkpoints.
   */
  resume?(earlier: Earlier): void | Promise<void>;
  /** `transaction`: the last committed `keep` of each lane of this run. Called after `resume` and a failed `commit`. */
  held?(): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
  write(batch: Batch<Item>, signal: AbortSignal): void | Promise<void>;
  /**
   * All of the page was written. Settles when it counts. `cut` returns where the output of the data type stands, as
   * plain data that outlives the process, if the state is stored. Ends the page also if it rejects: its items must not
   * go out with the next page. Called in every run.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a commit that returns nothing is one too.
  commit?(page: PageEnd, signal: AbortSignal): void | Exact | Promise<void | Exact>;
  /** Removes all that the data type got since its last commit, and nothing else. Needs `commit`. */
  rollback?(dataType: string): void | Promise<void>;
  /** Settles when all that was written survives a power cut. */
  durable?(): Promise<void>;
  /**
   * Names what an earlier run has published of the data type, if it has items and `close` would replace it; else
   * nothing. Called after the last write. A sink that replaces has it; one that appends leaves it out.
   */
  published?(dataType: string): readonly string[] | Promise<readonly string[]>;
  /** The run succeeded: publish and release. A later process may call it again. Without `closing` nothing is kept. */
  close(closing?: Closing): void | Promise<void>;
  /** The run failed or was interrupted: leave what was delivered valid and unpublished. */
  abort(reason: unknown): void | Promise<void>;
  /** Lines for the end of the run: what was written where. */
  summary?(): readonly SinkOutput[];
}

export interface SinkOutput {
  readonly dataType: string;
  readonly name: string;
  readonly items: number;
  readonly bytes: number;
  /** It has not been published: `name` is where the items are for now. */
  readonly unfinished?: true;
  /** `name` is the output of an earlier run, which this one did not replace. */
  readonly kept?: true;
}

/** The short form of a sink: the next batch waits until what it returns has completed. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is a sink too.
export type SinkFunction<Item = unknown> = (batch: Batch<Item>, signal: AbortSignal) => ObservableInput<unknown> | void;
