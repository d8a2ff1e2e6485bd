/** What each rule of the kit works with: fresh sinks, and calls that end in time. */
import type { Batch } from '../../src/core/model/batch.js';
import type { Earlier, Sink } from '../contract.js';
import { linesOf, mustEqual } from './items.js';
import { type Clock, createClock } from './time-limit.js';
import { freshRun, isCut, messageOf, mustRefuse, undoOf, type Watched, type WatchedUndo, watch } from './watched.js';

/** One thing that the engine relies on, and a way to find out. */
export interface Rule {
  readonly name: string;
  /** Throws when the rule is broken; returns why it does not apply. */
  run(bench: Bench): Promise<string | undefined>;
}

/** A call after which the destination may end. */
export type RestartCall = 'resume' | 'positions' | 'open' | 'write' | 'commit' | 'durable' | 'close';

export interface CheckOptions {
  /** Creates a sink whose destination accepts nothing. Without it the two rules on waiting are skipped. */
  readonly stuck?: () => Sink | Promise<Sink>;
  /** Creates a sink whose destination rejects every write. Without it the rule on failed writes is skipped. */
  readonly failing?: () => Sink | Promise<Sink>;
  /**
   * Creates a sink over the same destination that applies each commit but gets no answer: `commit` rejects. Without it
   * the rule on such commits is skipped.
   */
  readonly unanswered?: () => Sink | Promise<Sink>;
  /**
   * An item that the destination of `make` refuses, such as one that is too large. Without it the rules on refused
   * items are skipped.
   */
  readonly refused?: unknown;
  /**
   * Returns the text of each published file of the items of a data type, by its name. Without it the rule on files is
   * skipped.
   */
  readonly files?: (dataType: string) => Promise<ReadonlyMap<string, string>>;
  /**
   * Ends the destination of `make` as a crash would, and starts it again. The kit calls it some 13 times: after each
   * call of a run. Without it the rule on such ends is skipped.
   */
  readonly restart?: () => Promise<void>;
  /**
   * For a destination that needs long to start: `restart` is called after the last call of each of these names only,
   * such as `write`. Default: after each call.
   */
  readonly restartAfter?: readonly RestartCall[];
  /** Settles when a call has taken too long, or when the signal aborts. Default: 5 seconds. */
  readonly tooLong?: (signal: AbortSignal) => Promise<unknown>;
}

export interface BenchOptions extends CheckOptions {
  readonly make: () => Sink | Promise<Sink>;
  readonly read: (dataType: string) => Promise<readonly string[]>;
  readonly tooLong: (signal: AbortSignal) => Promise<unknown>;
  readonly dataType: string;
}

export interface Bench extends Clock {
  /** Belongs to this rule alone. */
  readonly dataType: string;
  /** An item that the destination refuses; undefined: the kit was given none. */
  readonly refused: unknown;
  /** Undefined: the kit was given none. */
  readonly files: CheckOptions['files'];
  /** Undefined: the kit was given none. */
  readonly restart: (() => Promise<void>) | undefined;
  /** Undefined: after each call. */
  readonly restartAfter: readonly RestartCall[] | undefined;
  /** Undefined: the sink cannot take back. Throws where it does half of it. */
  undoOf(watched: Watched): WatchedUndo | undefined;
  /** Whether the sink promises exactly once by checkpoints. Throws where it promises more than it can do. */
  isCut(watched: Watched): boolean;
  /** A sink on which no call was made: what a process begins with. */
  makeSink(): Promise<Sink>;
  /** One whose commits are applied and reject. Undefined: the kit was given none. */
  makeUnanswered(): Promise<Sink | undefined>;
  /** A sink of a run: a fresh one without a state, unless `earlier` says otherwise. */
  make(earlier?: Partial<Earlier>): Promise<Watched>;
  /** Undefined: the kit was given none. */
  makeStuck(): Promise<Watched | undefined>;
  makeFailing(): Promise<Watched | undefined>;
  read(dataType: string): Promise<readonly string[]>;
  /** Throws unless the sink rejects the batch, and in time. */
  mustRefuse(sink: Watched, batch: Batch, signal?: AbortSignal): Promise<void>;
  /** Opens the data type, writes the batches, closes, and compares what can be read then. */
  roundTrip(batches: readonly Batch[]): Promise<undefined>;
  /** Throws where one of the sinks over the sound destination has reported a failure. */
  mustNotHaveFailed(): void;
  /** Aborts what a failed rule has left open. */
  clear(): Promise<void>;
}

/** Lays out the bench for one rule. */
export function createBench(options: BenchOptions): Bench {
  const { make, read, stuck, failing, unanswered, refused, files, restart, restartAfter, tooLong, dataType } = options;
  const clock = createClock(tooLong);
  const made: Watched[] = [];
  const watched = async (sink: Sink, earlier: Partial<Earlier> = {}): Promise<Watched> => {
    const begun = { ...freshRun(made.length), ...earlier };
    const each = watch(sink, begun, clock);
    made.push(each);
    await clock.inTime('resume', () => sink.resume?.(begun));
    return each;
  };

  const untouched = (sink: Sink): Sink => {
    made.push(watch(sink, freshRun(made.length), clock));
    return sink;
  };

  const bench: Bench = {
    dataType,
    refused,
    files,
    restart,
    restartAfter,
    ...clock,
    makeSink: async () => untouched(await make()),
    makeUnanswered: async () => (unanswered === undefined ? undefined : untouched(await unanswered())),
    make: async (earlier) => watched(await make(), earlier),
    makeStuck: async () => (stuck === undefined ? undefined : begunBy('stuck', watched(await stuck()))),
    makeFailing: async () => (failing === undefined ? undefined : begunBy('failing', watched(await failing()))),
    read: (name) => clock.inTime('read', () => read(name)),
    undoOf: (each) => undoOf(each, clock),
    isCut: ({ sink }) => isCut(sink),
    mustRefuse: (sink, batch, signal) => mustRefuse(sink, batch, clock, signal),
    async roundTrip(batches) {
      const sink = await bench.make();
      await sink.open(dataType);
      for (const batch of batches) await sink.write(batch);
      await sink.close();
      mustEqual(await bench.read(dataType), linesOf(...batches));
      return undefined;
    },
    mustNotHaveFailed() {
      for (const sink of made) sink.mustNotHaveFailed();
    },
    clear: async () => void (await Promise.allSettled(made.map((sink) => sink.abort()))),
  };
  return bench;
}

/** Rejects with the name of the option if the sink cannot even begin: its rule is on writes. */
function begunBy(option: 'stuck' | 'failing', beginning: Promise<Watched>): Promise<Watched> {
  return beginning.catch((thrown) => {
    const advice = 'only its writes may fail or wait, as with `{ ...sink, write }`';
    throw new Error(`the sink of the option "${option}" does not begin (${messageOf(thrown)}): ${advice}`);
  });
}
