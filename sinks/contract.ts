/** The contract of sinks, the destinations of items. */
import type { ObservableInput } from 'rxjs';
import type { Exact } from '../src/core/json/exact.js';
import type { Batch } from '../src/core/model/batch.js';
import type { PagePlace } from '../src/core/model/batch-place.js';
import type { JobTables } from '../src/core/tables/job-tables.js';
import type { ListRows } from '../src/core/tables/list-rules.js';

/**
 * How a sink removes an invalid page. `cut`: it truncates everything after the last commit, at a checkpoint that the
 * journal stores. `transaction`: a page is valid after its commit, and the sink stores the position. `ids`: repeated
 * items have the same ids, and the destination drops them. `none`: not at all.
 */
export type Recovery = 'cut' | 'transaction' | 'ids' | 'none';

/**
 * How often an item arrives if a run is interrupted and resumed. `effectively once`: repeats have the same id, so the
 * destination can detect them.
 */
export type Guarantee = 'exactly once' | 'effectively once' | 'at least once';

const guarantees: Readonly<Record<Recovery, Guarantee>> = {
  cut: 'exactly once',
  transaction: 'exactly once',
  ids: 'effectively once',
  none: 'at least once',
};

/** The guarantee of a sink, from its `recovery`. */
export const guaranteeOf = ({ recovery = 'none' }: Pick<Sink, 'recovery'>): Guarantee => guarantees[recovery];

/** The joint guarantee of several sinks. */
export function weakest(all: readonly Guarantee[]): Guarantee {
  if (all.includes('at least once')) return 'at least once';
  return all.includes('effectively once') ? 'effectively once' : 'exactly once';
}

/** The current run, and what it left in the sink if it was interrupted. */
export interface Earlier {
  /** The name of the run: 16 characters, unchanged by a resume. */
  readonly run: string;
  /**
   * Starts at 1; each resume adds 1. A process with a lower epoch must not write any more, also after `close`. Of a
   * member it is the epoch of that member alone.
   */
  readonly epoch: number;
  /**
   * The part of a shared run that this process does. All members write for one `run`, each with epochs, lanes and
   * checkpoints of its own. Absent: the process does the whole run, or publishes what its members have left.
   */
  readonly member?: string;
  /** The run replaces these unfinished runs: it fences them, and removes their staged data. Absent: there are none. */
  readonly replaces?: readonly string[];
  /** The run stores a state, including the results of `commit`. */
  readonly isStored: boolean;
  /** When the run first started, in epoch ms; a resume keeps it. Absent: unknown. */
  readonly startedAt?: number;
  /** `publishing`: everything was written, and `close` may have been called. */
  readonly phase: 'writing' | 'publishing';
  /** A folder of the state, for files that a sink stages there; the sink creates it. Absent: there is none. */
  readonly folder?: string;
  /** By data type, the result of the last stored `commit`; empty for a fresh start. `cut` only. */
  readonly checkpoints: ReadonlyMap<string, Exact>;
  /**
   * The members of the shared run that this process publishes, with the checkpoints of each. Only those with a
   * checkpoint are there. Absent: the process does not publish what members have left.
   */
  readonly members?: ReadonlyMap<string, ReadonlyMap<string, Exact>>;
}

/** The end of a page with items for this sink. */
export interface PageEnd extends PagePlace {
  readonly job: string;
  readonly dataType: string;
  /** Items of the page that the sink received. */
  readonly count: number;
  /** Bytes of these items. */
  readonly bytes: number;
  /** The top-level walk of the page: pages of one lane arrive in sequence. The key of `keep`. */
  readonly lane: string;
  /**
   * The position of the lane after this page, opaque. A `transaction` sink stores it under run and lane, in the
   * transaction of the items, and replaces the previous one. Absent for other sinks, and if the run stores no state.
   */
  readonly keep?: string;
}

/** An item that the destination refuses for its own sake: for its size, a type, a constraint. */
export interface RefusedItem {
  /** A batch that has the item. */
  readonly batch: Batch;
  /** Its index in the batch, from 0. */
  readonly index: number;
  /** What is wrong, such as `has 2000000 bytes, and the server accepts 1048576`. */
  readonly reason: string;
  readonly cause?: unknown;
}

/** A file that belongs to the only item of its page. */
export interface FilePlace extends PagePlace {
  readonly dataType: string;
  /** Valid on every system, and perhaps that of another file of the data type. */
  readonly name: string;
  /** The members of the item that have it: `name`, unless a select renames it. Absent: they are not known. */
  readonly members?: readonly string[];
}

/** What earlier attempts at a file have left. */
export interface LeftBytes {
  readonly bytes: number;
  /** What identifies the content, such as an ETag. */
  readonly version: string;
}

/** A file while it arrives. An attempt calls `begin`, `write` and `end` in this order, and in any case `leave`. */
export interface FileDraft {
  /** Absent: nothing that another attempt could continue. */
  readonly left?: LeftBytes;
  /** Keeps the first bytes of what is left, and drops the rest. Without `version` no later attempt can continue it. */
  begin(bytes: number, version?: string): Promise<void>;
  /** Settles when there is room for more. */
  write(chunk: Uint8Array): void | Promise<void>;
  /** The file is complete: it is published with the item of its page, once that is written. */
  end(): Promise<{ readonly size: number; readonly sha256: string }>;
  /** The attempt is over. What has arrived stays for another one. */
  leave(): Promise<void>;
}

/** The options of a run for each data type. */
export interface Opening {
  /** The base URL of the API of the job. */
  readonly address?: string;
  /** The table settings of the job. */
  readonly tables?: JobTables;
  /** The data type has the rows of a list. Absent: it has items. */
  readonly list?: ListRows;
  /** Its items have files. */
  readonly hasFiles?: true;
  /**
   * Fails the run at once with the error of a batch that `write` had already accepted: the run sends no further
   * request. The sink calls it when no pending call could reject; later calls must fail too.
   */
  readonly onFailure?: (thrown: unknown) => void;
  /**
   * Reports an item that the destination refuses. The sink waits for it, leaves the item out, and sends the others with
   * unchanged ids. It is called in `write`, or in `prepare` if the sink has that method. A throw ends the run: the sink
   * passes it on. Absent: the sink throws. docs/07-sinks.md#items-that-a-destination-refuses.
   */
  readonly onItemError?: (refused: RefusedItem) => void | Promise<void>;
}

/** The options of a successful run for `close`. */
export interface Closing {
  /** Data types without items whose earlier output `published` has named: `close` keeps that output. */
  readonly keep: ReadonlySet<string>;
  /**
   * Data types of which the run has asked for all items: what it does not have is not there any more. No limit,
   * `forceStop`, failed page or choice of jobs has left anything out. Absent: there is none.
   */
  readonly complete?: ReadonlySet<string>;
}

/**
 * A destination of items. `write` settles when the sink has room for more; until then the engine sends nothing else to
 * that data type. A sink may accept a batch and write it later: if that write fails, its next call for that data type
 * must fail, and `close`. A page ends with `commit`; `rollback` removes everything after the last commit.
 *
 * `cut` needs `resume`, `commit` and `rollback`; `transaction` needs `positions` too. docs/07-sinks.md#the-contract.
 */
export interface Sink<Item = unknown> {
  /** The name in messages and the summary, such as `ndjson:out`. */
  readonly name?: string;
  /** Absent: `none`. */
  readonly recovery?: Recovery;
  /** `ids`: how long the destination remembers an id, in ms. Read after `resume`: a server may define it. */
  readonly window?: number | undefined;
  /** Data types of several buckets are outputs of their own: they have the bucket before their names. */
  readonly hasBuckets?: true;
  /** `transaction`: the longest `keep` that it can store, in bytes; absent: no limit. */
  readonly keepBytes?: number;
  /**
   * Values that no message and no summary may show, such as its password. The list may grow: a run reads it again
   * before it shows anything.
   */
  readonly secrets?: readonly string[];
  /**
   * Connects to the destination, verifies everything that can be verified without a change there, and disconnects. Used
   * by `rxtract validate --connect`, without any other call.
   */
  check?(): Promise<void>;
  /** Announces a data type and its job before any request. */
  open?(dataType: string, job: string, opening?: Opening): void | Promise<void>;
  /**
   * Called in every run, before `open`. Stops writers of older epochs, and restores the output to the checkpoints.
   * Throws ERR_RESUME, without any change, if the output differs from the checkpoints; the engine may call it once more
   * with earlier checkpoints.
   */
  resume?(earlier: Earlier): void | Promise<void>;
  /**
   * `transaction`: returns the last committed `keep` of each lane of this run. Called after `resume` and a failed
   * `commit`.
   */
  positions?(): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
  write(batch: Batch<Item>, signal: AbortSignal): void | Promise<void>;
  /**
   * Begins an attempt at a file, before the item of its page is written, and side by side with other files. The file
   * counts, is rolled back and is published with that item; a file whose item never comes is removed. If its name is
   * taken, file and item get another one. Undefined: the sink does not get the data type. Absent: it has no place for
   * files.
   */
  file?(place: FilePlace): Promise<FileDraft | undefined>;
  /**
   * For a sink that finds refused items later than in `write`: settles when each item of the page has been accepted or
   * reported to `onItemError`. Called before `commit`, once all of the page was written, if the run has dead letters.
   */
  prepare?(page: PageEnd, signal: AbortSignal): void | Promise<void>;
  /**
   * Ends a completely written page; settles when its items are valid and have left the process. If the run stores a
   * state, a `cut` sink returns the checkpoint of the data type: a string, or another exact value. A rejection ends the
   * page too: its items must not join the next page. Called in every run.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a commit that returns nothing is one too.
  commit?(page: PageEnd, signal: AbortSignal): void | Exact | Promise<void | Exact>;
  /** Removes everything that the data type received since its last commit, and nothing else. Needs `commit`. */
  rollback?(dataType: string): void | Promise<void>;
  /** Settles when everything written survives a power cut. */
  durable?(): Promise<void>;
  /**
   * Names the output of the data type from an earlier run, if it has items and `close` would replace it; else returns
   * an empty list. Called after the last write, if the sink has no items of the data type in this run. A sink that
   * replaces output has this method; one that appends omits it.
   */
  published?(dataType: string): readonly string[] | Promise<readonly string[]>;
  /**
   * Whether `close` replaces all items that the output of the data type has from earlier runs. Absent: they stay. False
   * with `published`: a complete run alone removes items. A run that asks only for what is new warns if it is true.
   */
  replacesOutput?(dataType: string): boolean;
  /**
   * Called after a successful run: publishes and releases. A later process may call it again. Without `closing` it
   * keeps nothing.
   */
  close(closing?: Closing): void | Promise<void>;
  /**
   * Ends a member whose items are all committed: publishes nothing, keeps the fence against older processes of the
   * member, and releases. A later process may resume the member, and leave again. The last process of the run calls
   * `close`, once for all members. Absent: the sink cannot be shared.
   */
  leave?(): void | Promise<void>;
  /** Called after a failure or an interruption: leaves delivered items valid and unpublished. */
  abort(reason: unknown): void | Promise<void>;
  /** Lines for the end of the run: items and bytes per output. */
  summary?(): readonly SinkOutput[];
}

export interface SinkOutput {
  readonly dataType: string;
  readonly name: string;
  readonly items: number;
  /** Bytes of the items. */
  readonly bytes: number;
  /** Bytes of the output itself, where it has another form: compressed, or a table. */
  readonly size?: number;
  /** Columns of a table. */
  readonly columns?: number;
  /** Columns of a table whose type this process has changed, because a value did not fit. */
  readonly changed?: readonly ColumnChange[];
  /** Not published: `name` is the temporary location of the items. */
  readonly unfinished?: true;
  /** `name` is the output of an earlier run that this run did not replace. */
  readonly kept?: true;
}

/** A change of a column's type. The types are named as the destination names them, such as `bigint`. */
export interface ColumnChange {
  readonly column: string;
  /** The type before this run, or the first one of this process. */
  readonly from: string;
  readonly to: string;
}

/** The short form of a sink: the next batch waits until the returned value has completed. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is a sink too.
export type SinkFunction<Item = unknown> = (batch: Batch<Item>, signal: AbortSignal) => ObservableInput<unknown> | void;
