/** What a rule of the conformance kit works with: sinks that are watched for calls that never settle, and comparisons that explain themselves. */
import type { Exact } from '../../src/exact.js';
import type { Batch, Mark, Sink } from '../../src/types.js';

/** One thing that the engine relies on, and a way to find out. */
export interface Rule {
  readonly name: string;
  /** Throws when the rule is broken; returns why it does not apply. */
  run(bench: Bench): Promise<string | undefined>;
}

export interface BenchOptions {
  readonly make: () => Sink | Promise<Sink>;
  readonly read: (dataType: string) => Promise<readonly string[]>;
  readonly stuck: (() => Sink | Promise<Sink>) | undefined;
  readonly tooLong: (signal: AbortSignal) => Promise<unknown>;
  readonly dataType: string;
}

/** A sink whose calls fail when they do not settle in time. */
export interface Watched {
  readonly sink: Sink;
  open(dataType: string, job?: string): Promise<void>;
  write(batch: Batch, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
  abort(): Promise<void>;
}

export interface Bench {
  /** Belongs to this rule alone. */
  readonly dataType: string;
  /** Undefined: the sink cannot take back. Throws where it does half of it. */
  undoOf(watched: Watched): Undo | undefined;
  /** Undefined: the sink does not promise exactly once. Throws where it promises more than it can do. */
  resumeOf(watched: Watched): Resume | undefined;
  make(): Promise<Watched>;
  /** Undefined: the kit was given none. */
  makeStuck(): Promise<Watched | undefined>;
  read(dataType: string): Promise<readonly string[]>;
  /** Whether the work settles in time; rejects if the work does. */
  settles(work: Promise<unknown>): Promise<boolean>;
  /** Throws when the work lasts too long. */
  inTime<T>(what: string, work: () => T | Promise<T>): Promise<T>;
  /** Throws unless the sink rejects the batch, and in time. */
  mustRefuse(sink: Watched, batch: Batch, signal?: AbortSignal): Promise<void>;
  /** Opens the data type, writes the batches, closes, and compares what can be read then. */
  roundTrip(batches: readonly Batch[]): Promise<undefined>;
  /** Aborts what a failed rule has left open. */
  clear(): Promise<void>;
}

export interface Undo {
  mark(dataType: string): Promise<Mark>;
  rollback(mark: Mark): Promise<void>;
}

export interface Resume {
  resume(checkpoints: ReadonlyMap<string, Exact>): Promise<void>;
  checkpoint(dataType: string): Promise<Exact>;
}

/** Lays out the bench for one rule. */
export function createBench({ make, read, stuck, tooLong, dataType }: BenchOptions): Bench {
  const made: Watched[] = [];

  const settles = async (work: Promise<unknown>) => {
    const controller = new AbortController();
    const late = tooLong(controller.signal).then(() => false);
    try {
      return await Promise.race([work.then(() => true), late]);
    } finally {
      controller.abort();
    }
  };

  const inTime = async <T>(what: string, work: () => T | Promise<T>) => {
    const result = (async () => work())();
    if (!(await settles(result))) throw new Error(`${what} did not settle`);
    return result;
  };

  const watch = (sink: Sink): Watched => {
    const watched: Watched = {
      sink,
      open: (name, job = name) => inTime('open', () => sink.open?.(name, job)),
      write: (batch, signal = new AbortController().signal) => inTime('write', () => sink.write(batch, signal)),
      close: () => inTime('close', () => sink.close()),
      abort: () => inTime('abort', () => sink.abort(new Error('the check is over'))),
    };
    made.push(watched);
    return watched;
  };

  const bench: Bench = {
    dataType,
    settles,
    inTime,
    make: async () => watch(await make()),
    makeStuck: async () => (stuck === undefined ? undefined : watch(await stuck())),
    read: (name) => inTime('read', () => read(name)),
    undoOf: ({ sink }) => undoOf(sink, inTime),
    resumeOf: ({ sink }) => resumeOf(sink, inTime),
    async mustRefuse({ sink }, batch, signal = new AbortController().signal) {
      const refused = async () => sink.write(batch, signal);
      const outcome = refused().then(
        () => 'taken',
        () => 'refused',
      );
      if ((await inTime('write', () => outcome)) === 'taken') throw new Error('the write was taken, not refused');
    },
    async roundTrip(batches) {
      const watched = await bench.make();
      await watched.open(dataType);
      for (const batch of batches) await watched.write(batch);
      await watched.close();
      mustEqual(await bench.read(dataType), linesOf(...batches));
      return undefined;
    },
    async clear() {
      await Promise.allSettled(made.map((watched) => watched.abort()));
    },
  };
  return bench;
}

function undoOf(sink: Sink, inTime: Bench['inTime']): Undo | undefined {
  const { mark, rollback } = sink;
  if (mark === undefined && rollback === undefined) return undefined;
  if (mark === undefined || rollback === undefined) throw new Error('mark and rollback come together or not at all');
  return {
    mark: (dataType) => inTime('mark', () => mark.call(sink, dataType)),
    rollback: (to) => inTime('rollback', () => rollback.call(sink, to)),
  };
}

function resumeOf(sink: Sink, inTime: Bench['inTime']): Resume | undefined {
  const { guarantee, resume, checkpoint } = sink;
  if (guarantee !== 'exactly once') return undefined;
  if (resume === undefined || checkpoint === undefined) {
    throw new Error(`it promises ${guarantee}, which needs resume and checkpoint`);
  }
  return {
    resume: (checkpoints) => inTime('resume', () => resume.call(sink, { phase: 'writing', checkpoints })),
    checkpoint: (dataType) => inTime('checkpoint', () => checkpoint.call(sink, dataType)),
  };
}

/** The items of batches, one JSON text each. */
export function linesOf(...batches: readonly Batch[]): readonly string[] {
  return batches.flatMap(({ bytes }) => Buffer.from(bytes).toString().split('\n').slice(0, -1));
}

/** Throws the first difference in words. */
export function mustEqual(found: readonly string[], expected: readonly string[]): void {
  const at = expected.findIndex((line, index) => found[index] !== line);
  if (at >= 0 && at < found.length) {
    throw new Error(`item ${at + 1}: expected ${short(expected[at])}, found ${short(found[at])}`);
  }
  if (found.length !== expected.length) throw new Error(`expected ${expected.length} items, found ${found.length}`);
}

/** Throws unless what was found is how the expected items begin. */
export function mustBegin(found: readonly string[], expected: readonly string[]): void {
  mustEqual(found, expected.slice(0, found.length));
}

const short = (text = 'nothing') => (text.length > 60 ? `${text.slice(0, 60)}...` : text);
