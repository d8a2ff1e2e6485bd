/** Several sinks as one: every batch goes to each of them, and the slowest sets the pace. */
import { ExtractError } from '../src/core/errors/errors.js';
import { type Exact, isArray } from '../src/core/json/exact.js';
import type { Batch } from '../src/core/model/batch.js';
import type { Closing, Earlier, PageEnd, Recovery, Sink } from './contract.js';
import { type AnySink, adaptSink } from './legacy-sink.js';
import { settleAll } from './settle.js';

const list = Symbol('sinks');

/** A sink that is made of several. */
interface FanOut extends Sink {
  readonly [list]: readonly Sink[];
}

/** The sinks that a sink is made of: those of `all`, also within one another; else the sink itself. */
export function sinksOf(sink: Sink): readonly Sink[] {
  return list in sink ? (sink as FanOut)[list].flatMap(sinksOf) : [sink]; // made below
}

/**
 * Joins sinks. A run commits and resumes each of them by itself, and each keeps its guarantee. When one fails, the
 * writes of the others are aborted. `close` goes in the order given; the first that fails ends it, and those behind it
 * are aborted. Throws ERR_USAGE for no sink at all.
 */
export function all(given: readonly AnySink[]): Sink {
  const sinks = given.map(adaptSink);
  const [only] = sinks;
  if (only === undefined) throw new ExtractError('ERR_USAGE', 'at least one sink is needed');
  if (sinks.length === 1) return only;

  const joined: FanOut = {
    [list]: sinks,
    name: sinks.map(({ name = 'sink' }) => name).join(', '),
    recovery: joint(sinks),
    open: (dataType, job, opening) => settleAll(sinks.map(async (sink) => sink.open?.(dataType, job, opening))),
    resume: (earlier) => resumeAll(sinks, earlier),
    write: (batch, signal) => writeToAll(sinks, batch, signal),
    commit: (page, signal) => commitAll(sinks, page, signal),
    ...undoOf(sinks),
    ...(sinks.some((sink) => sink.durable)
      ? { durable: () => settleAll(sinks.map(async (sink) => sink.durable?.())) }
      : {}),
    ...(sinks.some((sink) => sink.published) ? { published: (dataType) => publishedBy(sinks, dataType) } : {}),
    close: (closing) => closeInOrder(sinks, closing),
    abort: (reason) => settleAll(sinks.map(async (sink) => sink.abort(reason))),
    summary: () => sinks.flatMap((sink) => sink.summary?.() ?? []),
  };
  return joined;
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

function undoOf(sinks: readonly Sink[]): Pick<Sink, 'rollback'> {
  if (sinks.some(({ commit, rollback }) => commit === undefined || rollback === undefined)) return {};
  return { rollback: (dataType) => settleAll(sinks.map(async (sink) => sink.rollback?.(dataType))) };
}

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

/** Of them all as one, where a sink around them hides the list: then only `cut` can be joined. */
const joint = (sinks: readonly Sink[]): Recovery =>
  sinks.every(({ recovery }) => recovery === 'cut') ? 'cut' : 'none';

/** What each of them returns, in a list of its own; null for nothing. */
async function commitAll(sinks: readonly Sink[], page: PageEnd, signal: AbortSignal): Promise<Exact> {
  const parts: Exact[] = sinks.map(() => null);
  const commits = sinks.map(async (sink, index) => {
    const part = await sink.commit?.(page, signal);
    if (part !== undefined) parts[index] = [part];
  });
  await settleAll(commits);
  return parts;
}

/** Each gets its part of every checkpoint. Nothing is changed before it is known that they are those of these sinks. */
async function resumeAll(sinks: readonly Sink[], earlier: Earlier): Promise<void> {
  const parts = [...earlier.checkpoints].map(([dataType, all]) => [dataType, partsIn(all, sinks)] as const);
  for (const [index, sink] of sinks.entries()) {
    const own = parts.flatMap(([dataType, all]) => (all[index] ?? []).map((part) => [dataType, part] as const));
    await sink.resume?.({ ...earlier, checkpoints: new Map(own) });
  }
}

/** For each sink a list with its part, or an empty one. Throws ERR_RESUME where the checkpoint is that of other sinks. */
function partsIn(all: Exact, sinks: readonly Sink[]): readonly (readonly Exact[])[] {
  if (isArray(all) && all.length === sinks.length) return all.map((part) => (isArray(part) ? part : []));
  throw new ExtractError('ERR_RESUME', 'the run wrote to other sinks; resume needs the same sinks in the same order');
}
