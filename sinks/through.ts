/** Transforms on the way into a sink: the engine waits for them as it waits for the sink itself. */
import { ExtractError } from '../src/core/errors/errors.js';
import type { Batch } from '../src/core/model/batch.js';
import type { Sink, SinkFunction } from './contract.js';
import { orAborted, throwIfAborted } from './errors.js';
import { fromFunction } from './from-function.js';

/**
 * Makes a batch of a batch, of the same job and data type. The one it is given must not be changed. A page that is
 * asked for again comes through again; the signal aborts with the write.
 */
export type Transform<In = unknown, Out = In> = (
  batch: Batch<In>,
  signal: AbortSignal,
) => Batch<Out> | Promise<Batch<Out>>;

/**
 * Puts transforms before a sink, in the order given. The next batch waits until the sink has taken what came of this
 * one; a batch without items is not written. `open`, `mark`, `rollback`, `durable`, `resume`, `checkpoint`,
 * `published`, `close` and `abort` pass, and the summary counts what the sink was given. Throws ERR_SINK where a
 * transform changes the data type or the job, which would defeat a rollback.
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
  const sink = typeof to === 'function' ? fromFunction(to) : to;
  return {
    async write(batch, signal) {
      throwIfAborted(signal);
      let current = batch;
      for (const transform of transforms) current = await step(transform, current, signal);
      if (current.count > 0) await sink.write(current, signal);
    },
    close: (closing) => sink.close(closing),
    abort: (reason) => sink.abort(reason),
    ...optional(sink),
  };
}

async function step(transform: Transform, batch: Batch, signal: AbortSignal): Promise<Batch> {
  const made = transform(batch, signal);
  const { job, dataType } = batch;
  const next = made instanceof Promise ? await orAborted(made, signal) : made;
  if (next.job === job && next.dataType === dataType) return next;
  throw new ExtractError('ERR_SINK', `a transform turned a batch of "${dataType}" into one of "${next.dataType}"`);
}

/** What the sink can do beyond the least. */
function optional(sink: Sink): Partial<Sink> {
  const { mark, rollback, open, durable, guarantee, resume, checkpoint, published, summary } = sink;
  return {
    ...(open === undefined ? {} : { open: (dataType, job, opening) => open.call(sink, dataType, job, opening) }),
    ...(mark === undefined ? {} : { mark: (dataType, signal) => mark.call(sink, dataType, signal) }),
    ...(rollback === undefined ? {} : { rollback: (to) => rollback.call(sink, to) }),
    ...(durable === undefined ? {} : { durable: () => durable.call(sink) }),
    ...(guarantee === undefined ? {} : { guarantee }),
    ...(resume === undefined ? {} : { resume: (earlier) => resume.call(sink, earlier) }),
    ...(checkpoint === undefined ? {} : { checkpoint: (dataType) => checkpoint.call(sink, dataType) }),
    ...(published === undefined ? {} : { published: (dataType) => published.call(sink, dataType) }),
    ...(summary === undefined ? {} : { summary: () => summary.call(sink) }),
  };
}
