/** Sinks whose calls fail when they do not settle in time. */
import type { Exact } from '../../src/core/json/exact.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Closing, Mark, Opening, Sink } from '../contract.js';
import type { Clock } from './clock.js';

export interface Watched {
  readonly sink: Sink;
  /** With an `onFailure` of the kit's own, unless the rule brings one. */
  open(dataType: string, job?: string, opening?: Opening): Promise<void>;
  write(batch: Batch, signal?: AbortSignal): Promise<void>;
  /** Names what an earlier run has published; undefined: the sink replaces nothing. */
  published(dataType: string): Promise<readonly string[] | undefined>;
  close(closing?: Closing): Promise<void>;
  abort(): Promise<void>;
  /** Throws a failure that the sink has reported to the kit. */
  mustNotHaveFailed(): void;
}

export interface WatchedUndo {
  mark(dataType: string): Promise<Mark>;
  rollback(mark: Mark): Promise<void>;
}

export interface Resume {
  resume(checkpoints: ReadonlyMap<string, Exact>): Promise<void>;
  checkpoint(dataType: string): Promise<Exact>;
}

/** Watches the calls that every sink has. */
export function watch(sink: Sink, { inTime }: Clock): Watched {
  let failure: { readonly thrown: unknown } | undefined;
  const own: Opening = {
    onFailure(thrown) {
      failure ??= { thrown };
    },
  };
  return {
    sink,
    open: (name, job = name, opening = own) => inTime('open', () => sink.open?.(name, job, opening)),
    write: (batch, signal = new AbortController().signal) => inTime('write', () => sink.write(batch, signal)),
    published: (name) => inTime('published', () => sink.published?.(name)),
    close: (closing) => inTime('close', () => sink.close(closing)),
    abort: () => inTime('abort', () => sink.abort(new Error('the check is over'))),
    mustNotHaveFailed() {
      if (failure !== undefined) throw new Error(`it reported a failure: ${messageOf(failure.thrown)}`);
    },
  };
}

/** The message of an error, or a text of what was thrown instead. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Throws unless the sink rejects the batch, and in time. */
export async function mustRefuse(
  { sink }: Watched,
  batch: Batch,
  { inTime }: Clock,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const refused = async () => sink.write(batch, signal);
  const outcome = refused().then(
    () => 'taken',
    () => 'refused',
  );
  if ((await inTime('write', () => outcome)) === 'taken') throw new Error('the write was taken, not refused');
}

/** Undefined: the sink cannot take back. Throws where it does half of it. */
export function undoOf(sink: Sink, { inTime }: Clock): WatchedUndo | undefined {
  const { mark, rollback } = sink;
  if (mark === undefined && rollback === undefined) return undefined;
  if (mark === undefined || rollback === undefined) throw new Error('mark and rollback come together or not at all');
  return {
    mark: (dataType) => inTime('mark', () => mark.call(sink, dataType)),
    rollback: (to) => inTime('rollback', () => rollback.call(sink, to)),
  };
}

/** Undefined: the sink does not promise exactly once. Throws where it promises more than it can do. */
export function resumeOf(sink: Sink, { inTime }: Clock): Resume | undefined {
  const { guarantee, resume, checkpoint } = sink;
  if (guarantee !== 'exactly once') return undefined;
  if (resume === undefined || checkpoint === undefined) {
    throw new Error(`it promises ${guarantee}, which needs resume and checkpoint`);
  }
  return {
    resume: (checkpoints) =>
      inTime('resume', () => resume.call(sink, { run: 'test-run-0000000', epoch: 1, phase: 'writing', checkpoints })),
    checkpoint: (dataType) => inTime('checkpoint', () => checkpoint.call(sink, dataType)),
  };
}
