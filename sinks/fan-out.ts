/** Several sinks as one: every batch goes to each of them, and the slowest sets the pace. */
import { ExtractError } from '../src/core/errors/errors.js';
import { type Exact, isArray } from '../src/core/json/exact.js';
import type { Batch } from '../src/core/model/batch.js';
import type { Closing, Earlier, Guarantee, Mark, Sink } from './contract.js';
import { settleAll } from './settle.js';

interface Undo {
  mark(dataType: string, signal?: AbortSignal): Mark | Promise<Mark>;
  rollback(mark: Mark): void | Promise<void>;
}

/**
 * Joins sinks. It can take back only when all of them can; it is durable when those are that can be. When one fails,
 * the writes of the others are aborted. `close` goes in the order given; the first that fails ends it, and those behind
 * it are aborted. Of several guarantees the weakest holds. Throws ERR_USAGE for no sink at all.
 */
export function all(sinks: readonly Sink[]): Sink {
  const [only] = sinks;
  if (only === undefined) throw new ExtractError('ERR_USAGE', 'at least one sink is needed');
  if (sinks.length === 1) return only;

  return {
    open: (dataType, job, opening) => settleAll(sinks.map(async (sink) => sink.open?.(dataType, job, opening))),
    write: (batch, signal) => writeToAll(sinks, batch, signal),
    ...undoOf(sinks),
    ...(sinks.some((sink) => sink.durable)
      ? { durable: () => settleAll(sinks.map(async (sink) => sink.durable?.())) }
      : {}),
    guarantee: weakest(sinks),
    resume: (earlier) => resumeAll(sinks, earlier),
    checkpoint: async (dataType) => Promise.all(sinks.map((sink) => partOf(sink, dataType))),
    ...(sinks.some((sink) => sink.published) ? { published: (dataType) => publishedBy(sinks, dataType) } : {}),
    close: (closing) => closeInOrder(sinks, closing),
    abort: (reason) => settleAll(sinks.map(async (sink) => sink.abort(reason))),
    summary: () => sinks.flatMap((sink) => sink.summary?.() ?? []),
  };
}

async function writeToAll(sinks: readonly Sink[], batch: Batch, signal: AbortSignal): Promise<void> {
  const controller = new AbortController();
  // Not AbortSignal.any: Node 20 keeps what it makes alive as long as the run's own signal.
  const stop = () => controller.abort(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await settleWrites(sinks, batch, controller);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Throws what failed first in time: the others fail for its sake. */
async function settleWrites(sinks: readonly Sink[], batch: Batch, controller: AbortController): Promise<void> {
  const failures: unknown[] = [];
  const writing = sinks.map(async (sink) => {
    try {
      await sink.write(batch, controller.signal);
    } catch (thrown) {
      failures.push(thrown);
      controller.abort(thrown);
    }
  });
  await Promise.all(writing);
  if (failures.length > 0) throw failures[0];
}

function undoOf(sinks: readonly Sink[]): Undo | undefined {
  if (!sinks.every(canTakeBack)) return undefined;
  return {
    mark: async (dataType, signal) => ({
      dataType,
      position: await Promise.all(sinks.map((sink) => sink.mark(dataType, signal))),
    }),
    rollback: (mark) => settleAll(marksIn(mark).map(async (each, index) => sinks[index]?.rollback(each))),
  };
}

const canTakeBack = (sink: Sink): sink is Sink & Undo => sink.mark !== undefined && sink.rollback !== undefined;

async function publishedBy(sinks: readonly Sink[], dataType: string): Promise<readonly string[]> {
  return (await Promise.all(sinks.map((sink) => sink.published?.(dataType) ?? []))).flat();
}

async function closeInOrder(sinks: readonly Sink[], closing: Closing | undefined): Promise<void> {
  for (const [index, sink] of sinks.entries()) {
    try {
      await sink.close(closing);
    } catch (thrown) {
      await settleAll(sinks.slice(index).map(async (rest) => rest.abort(thrown))).catch(() => {});
      throw thrown;
    }
  }
}

const strength: readonly Guarantee[] = ['at least once', 'effectively once', 'exactly once'];

function weakest(sinks: readonly Sink[]): Guarantee {
  const least = Math.min(...sinks.map(({ guarantee = 'at least once' }) => strength.indexOf(guarantee)));
  return strength[least] ?? 'at least once';
}

/** Part of a checkpoint: what the sink says in a list of its own, or null where it can say nothing. */
const partOf = async (sink: Sink, dataType: string): Promise<Exact> =>
  sink.checkpoint === undefined ? null : [await sink.checkpoint(dataType)];

/** Each gets its part of every checkpoint. Nothing is changed before it is known that they are those of these sinks. */
async function resumeAll(sinks: readonly Sink[], earlier: Earlier): Promise<void> {
  const parts = [...earlier.checkpoints].map(([dataType, all]) => [dataType, partsIn(all, sinks)] as const);
  for (const [index, sink] of sinks.entries()) {
    const own = parts.flatMap(([dataType, all]) => (all[index] ?? []).map((part) => [dataType, part] as const));
    await sink.resume?.({ ...earlier, checkpoints: new Map(own) });
  }
}

/**
 * For each sink a list with its part, or an empty one. Throws ERR_RESUME where the checkpoint is that of other sinks.
 */
function partsIn(all: Exact, sinks: readonly Sink[]): readonly (readonly Exact[])[] {
  const parts = isArray(all) && all.length === sinks.length ? all : [];
  const isFit = ({ checkpoint }: Sink, index: number) => isArray(parts[index] ?? null) === (checkpoint !== undefined);
  if (parts.length > 0 && sinks.every(isFit)) return parts.map((part) => (isArray(part) ? part : []));
  throw new ExtractError('ERR_RESUME', 'the run wrote to other sinks; resume needs the same sinks in the same order');
}

function marksIn({ position }: Mark): readonly Mark[] {
  return position as readonly Mark[]; // a sink only ever gets back what its own `mark` returned
}
