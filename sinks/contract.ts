/** The contract of sinks: where items go. */
import type { ObservableInput } from 'rxjs';
import type { Exact } from '../src/core/json/exact.js';
import type { Batch } from '../src/core/model/batch.js';

/** A place in the output of one data type, as its sink understands it. */
export interface Mark {
  readonly dataType: string;
  readonly position: unknown;
}

/**
 * How often an item arrives where a run was broken off and gone on with. `effectively once`: it may come again, under
 * the same key, so that the destination can tell.
 */
export type Guarantee = 'exactly once' | 'effectively once' | 'at least once';

/** What a run that was broken off has left in a sink. */
export interface Earlier {
  /** The name of the run: 16 characters, kept by a resume. */
  readonly run: string;
  /** 1, and one more with each resume: a process with a lower one must not write any more. */
  readonly epoch: number;
  /** A fresh start takes the place of this unfinished run: what that had staged can go. */
  readonly replaces?: string;
  /** `publishing`: all had been written, and `close` may have been under way. */
  readonly phase: 'writing' | 'publishing';
  /** What `checkpoint` said last, by data type; one that had got nothing yet may be missing. */
  readonly checkpoints: ReadonlyMap<string, Exact>;
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
 * until then. A sink may take a batch and write it behind: what it could not write makes its next call for that data
 * type fail, and `close`. A page is a transaction: `mark` before it, `rollback` to take back what it wrote. A sink that
 * cannot take back leaves both out.
 */
export interface Sink<Item = unknown> {
  /** Announces a data type and the job that will write it, before any request. */
  open?(dataType: string, job: string, opening?: Opening): void | Promise<void>;
  write(batch: Batch<Item>, signal: AbortSignal): void | Promise<void>;
  /** May wait for what was taken before to be written, no longer than the signal lets it. */
  mark?(dataType: string, signal?: AbortSignal): Mark | Promise<Mark>;
  rollback?(mark: Mark): void | Promise<void>;
  /** Settles when all that was written survives a crash. */
  durable?(): Promise<void>;
  /** What a run that keeps a state may promise; absent: at least once. */
  readonly guarantee?: Guarantee;
  /**
   * Called before `open` where the run keeps a state: `checkpoint` will be asked for, and the output goes on where it
   * stood; what came behind is cut off. Throws ERR_RESUME where it is not what it was, and has changed nothing then; it
   * may be called once more, with earlier checkpoints.
   */
  resume?(earlier: Earlier): void | Promise<void>;
  /**
   * Where the output of a data type stands once all that was taken before the call has landed: plain data that outlives
   * the process.
   */
  checkpoint?(dataType: string): Promise<Exact>;
  /**
   * Names what an earlier run has published of the data type, if it has items and `close` would replace it; else
   * nothing. Asked after the last write. A sink that replaces has it; one that adds to what is there leaves it out.
   */
  published?(dataType: string): readonly string[] | Promise<readonly string[]>;
  /** The run succeeded: publish and let go. Without `closing` nothing is kept. */
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
