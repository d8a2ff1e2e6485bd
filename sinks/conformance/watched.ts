/** Wraps sinks so that calls fail when they do not settle in time. */
import { type Exact, stringifyExact } from '../../src/core/json/exact.js';
import { parseExact } from '../../src/core/json/exact-parse.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Closing, Earlier, Opening, PageEnd, Sink } from '../contract.js';
import { checkpointOf, mustBeComplete } from '../recovery.js';
import type { Clock } from './time-limit.js';

export interface Watched {
  readonly sink: Sink;
  /** Passes the kit's own `onFailure`, unless the rule passes one. */
  open(dataType: string, job?: string, opening?: Opening): Promise<void>;
  write(batch: Batch, signal?: AbortSignal): Promise<void>;
  /** Commits the current page of the data type; returns the sink's checkpoint. */
  commit(dataType: string): Promise<Exact | undefined>;
  /** Names the output of an earlier run; undefined: the sink replaces nothing. */
  published(dataType: string): Promise<readonly string[] | undefined>;
  /** Commits all active pages before it closes. */
  close(closing?: Closing): Promise<void>;
  abort(): Promise<void>;
  /** Throws a failure that the sink reported to the kit. */
  mustNotHaveFailed(): void;
}

export interface WatchedUndo {
  commit(dataType: string): Promise<unknown>;
  rollback(dataType: string): Promise<void>;
}

/** Creates a fresh run; `number` distinguishes the runs of a rule. */
export const freshRun = (number: number): Earlier => ({
  run: `test-run-${String(number).padStart(7, '0')}`,
  epoch: 1,
  isStored: false,
  phase: 'writing',
  checkpoints: new Map(),
});

/** Wraps the calls that every sink has. */
export function watch(sink: Sink, { run }: Pick<Earlier, 'run'>, { inTime }: Clock): Watched {
  let failure: { readonly thrown: unknown } | undefined;
  const own: Opening = {
    onFailure(thrown) {
      failure ??= { thrown };
    },
  };
  const pages = createPages(run);
  const commit = async (dataType: string) => {
    const end = pages.end(dataType);
    const { signal } = new AbortController();
    return storedCheckpoint(sink, await inTime('commit', () => sink.commit?.(end, signal)));
  };
  return {
    sink,
    open: (name, job = name, opening = own) => inTime('open', () => sink.open?.(name, job, opening)),
    async write(batch, signal = new AbortController().signal) {
      await inTime('write', () => sink.write(pages.place(batch), signal));
      pages.add(batch);
    },
    commit,
    published: (name) => inTime('published', () => sink.published?.(name)),
    async close(closing) {
      for (const dataType of pages.open()) await commit(dataType);
      await inTime('close', () => sink.close(closing));
    },
    abort: () => inTime('abort', () => sink.abort(new Error('the check is over'))),
    mustNotHaveFailed() {
      if (failure !== undefined) throw new Error(`it reported a failure: ${messageOf(failure.thrown)}`);
    },
  };
}

/** Numbers the pages of each data type, which is its own walk, and counts their items and bytes. */
function createPages(run: string) {
  const pages = new Map<string, { readonly page: number; readonly count: number; readonly bytes: number }>();
  const at = (dataType: string) => pages.get(dataType) ?? { page: 0, count: 0, bytes: 0 };
  const walkOf = (dataType: string) =>
    String([...dataType].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
  return {
    place(batch: Batch): Batch {
      const { page, count } = at(batch.dataType);
      return { ...batch, run, walk: walkOf(batch.dataType), page, offset: count };
    },
    add({ dataType, count: more, bytes: { length } }: Batch) {
      const { page, count, bytes } = at(dataType);
      pages.set(dataType, { page, count: count + more, bytes: bytes + length });
    },
    open: () => [...pages].filter(([, { count }]) => count > 0).map(([dataType]) => dataType),
    end(dataType: string): PageEnd {
      const { page, count, bytes } = at(dataType);
      pages.set(dataType, { page: page + 1, count: 0, bytes: 0 });
      const walk = walkOf(dataType);
      return { run, walk, page, job: dataType, dataType, count, bytes, lane: walk };
    },
  };
}

/** The checkpoint that `commit` has returned, as a later process reads it from the journal. */
export function storedCheckpoint(sink: Sink, result: unknown): Exact | undefined {
  const checkpoint = checkpointOf(sink, result);
  return checkpoint === undefined ? undefined : parseExact(stringifyExact(checkpoint));
}

/** The message of an error, or a string for another thrown value. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Throws unless the sink rejects the batch in time. */
export async function mustRefuse(
  { sink }: Watched,
  batch: Batch,
  { inTime }: Clock,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const write = async () => sink.write(batch, signal);
  await inTime('write', () => mustReject(write(), 'the write was taken, not refused'));
}

/** Throws an error with this message unless the work rejects. */
export async function mustReject(work: Promise<unknown>, message: string): Promise<void> {
  const isDone = await work.then(
    () => true,
    () => false,
  );
  if (isDone) throw new Error(message);
}

/** The rollback of a sink; undefined: it cannot roll back. Throws if it implements only half of it. */
export function undoOf({ sink, commit }: Watched, { inTime }: Clock): WatchedUndo | undefined {
  const { rollback } = sink;
  if (rollback === undefined) return undefined;
  mustBeComplete(sink);
  return { commit, rollback: (dataType) => inTime('rollback', () => rollback.call(sink, dataType)) };
}

/** Whether the sink promises exactly once through checkpoints. Throws if a required member is missing. */
export function isCut(sink: Sink): boolean {
  if (sink.recovery !== 'cut') return false;
  mustBeComplete(sink);
  return true;
}
