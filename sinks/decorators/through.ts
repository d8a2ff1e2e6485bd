/** Transforms before a sink: the engine waits for them as it waits for the sink itself. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { PageEnd, Sink, SinkFunction } from '../contract.js';
import { delegate } from '../delegate.js';
import { orAborted, throwIfAborted } from '../errors.js';
import { sinkOf } from '../from-function.js';

/**
 * Turns a batch into another of the same job and data type. Do not change the given batch. A retried page passes again;
 * the signal aborts with the write.
 */
export type Transform<In = unknown, Out = In> = (
  batch: Batch<In>,
  signal: AbortSignal,
) => Batch<Out> | Promise<Batch<Out>>;

/**
 * Puts transforms before a sink, in the given order. The next batch waits until the sink has accepted the result of
 * this one; a batch without items is not written. Offsets and the counts of a commit refer to the items that the sink
 * receives. All other calls pass unchanged. Throws ERR_SINK if a transform changes the data type or the job, because a
 * rollback would then fail.
 */
export function through<A>(to: Sink<A> | SinkFunction<A>): Sink<A>;
export function through<A, B>(to: Sink<B> | SinkFunction<B>, first: Transform<A, B>): Sink<A>;
export function through<A, B, C>(
  to: Sink<C> | SinkFunction<C>,
  first: Transform<A, B>,
  second: Transform<B, C>,
): Sink<A>;
export function through<A, B, C, D>(
  to: Sink<D> | SinkFunction<D>,
  first: Transform<A, B>,
  second: Transform<B, C>,
  third: Transform<C, D>,
): Sink<A>;
export function through<A>(to: Sink<A> | SinkFunction<A>, ...transforms: readonly Transform<A>[]): Sink<A>;
export function through(to: Sink | SinkFunction, ...transforms: readonly Transform[]): Sink {
  const sink = sinkOf(to);
  const counter = createCounter();
  const { file, commit, prepare } = sink;
  return delegate(sink, {
    async write(batch, signal) {
      throwIfAborted(signal);
      let current = batch;
      for (const transform of transforms) current = await step(transform, current, signal);
      const placed = counter.place(current, batch.offset === 0);
      if (placed.count > 0) await sink.write(placed, signal);
      counter.add(placed);
    },
    ...(file === undefined ? {} : { file: ({ members: _, ...place }) => file.call(sink, place) }), // they may rename them
    ...(prepare === undefined ? {} : { prepare: (page, signal) => prepare.call(sink, counter.end(page), signal) }),
    ...(commit === undefined ? {} : { commit: (page, signal) => commit.call(sink, counter.end(page), signal) }),
  });
}

async function step(transform: Transform, batch: Batch, signal: AbortSignal): Promise<Batch> {
  const made = transform(batch, signal);
  const { job, dataType } = batch;
  const next = made instanceof Promise ? await orAborted(made, signal) : made;
  if (next.job === job && next.dataType === dataType) return next;
  throw new ExtractError('ERR_SINK', `a transform turned a batch of "${dataType}" into one of "${next.dataType}"`);
}

/** Counts the items of the active page that the sink receives, by data type. */
interface Counter {
  /** Places the batch among those that the sink received. `isFirst`: it starts the page, perhaps again. */
  place(batch: Batch, isFirst: boolean): Batch;
  /** Records a batch that the sink accepted. */
  add(batch: Batch): void;
  /** The end of the page with the sink's counts. */
  end(page: PageEnd): PageEnd;
}

function createCounter(): Counter {
  const none = { count: 0, bytes: 0 };
  const counts = new Map<string, typeof none>();
  return {
    place(batch, isFirst) {
      if (isFirst) counts.delete(batch.dataType);
      const { count } = counts.get(batch.dataType) ?? none;
      return batch.offset === count ? batch : { ...batch, offset: count };
    },
    add({ dataType, count: more, bytes: { length } }) {
      const { count, bytes } = counts.get(dataType) ?? none;
      counts.set(dataType, { count: count + more, bytes: bytes + length });
    },
    end: (page) => ({ ...page, ...(counts.get(page.dataType) ?? none) }),
  };
}
