/** Makes the consumers of jobs: loops, streams and observables over one hand-over, each a run of its own. */
import { pull } from '../../../operators/pull.js';
import { type Transform, through } from '../../../sinks/decorators/through.js';
import { createRendezvous } from '../../../sinks/rendezvous.js';
import { ExtractError } from '../../core/errors/errors.js';
import type { Batch } from '../../core/model/batch.js';
import { abortableIterable } from './abortable-iterable.js';
import { type ReadableOf, readableOf } from './readable.js';
import type { StartRun } from './start-run.js';
import type { ConsumerOptions, Consumers, ReadableAs, ReadableOptions } from './types.js';

/** The consumers of the runs that `begin` starts. */
export function createConsumers<Item>(begin: StartRun<Item>): Consumers<Item> {
  const batches = (options: ConsumerOptions = {}) => abortableIterable((left) => handedOver(begin, options, left));
  return {
    items: (options = {}) => abortableIterable((left) => eachItem(handedOver(begin, options, left))),
    batches,
    readable: (options: ReadableOptions = {}) => readable(batches(options), options),
    observable: (options) => pull(batches(options), (batch) => batch.values()),
    through: <Out>(transform: Transform<Item, Out>) =>
      createConsumers<Out>((sink, options, left) => begin(through(sink, transform), options, left)),
  };
}

async function* handedOver<Item>(
  begin: StartRun<Item>,
  options: ConsumerOptions,
  left: AbortSignal,
): AsyncGenerator<Batch<Item>, void> {
  const { sink, take, end } = createRendezvous<Item>();
  const run = begin(sink, options, left);
  const ended = run.then(end, end);
  try {
    for (let batch = await take(); batch !== undefined; batch = await take()) yield batch;
    await run;
  } catch (thrown) {
    if (!left.aborted) throw thrown;
  } finally {
    await ended;
  }
}

async function* eachItem<Item>(batches: AsyncIterable<Batch<Item>>): AsyncGenerator<Item, void> {
  for await (const batch of batches) {
    for (const item of batch.values()) yield item;
  }
}

function readable<Item>(batches: AsyncIterable<Batch<Item>>, options: ReadableOptions): ReadableOf<never> {
  const { as = 'items', highWaterMark = 0, signal } = options;
  const split = splits[as];
  if (split === undefined) throw new ExtractError('ERR_USAGE', `as: expected one of ${Object.keys(splits).join(', ')}`);
  const stream = readableOf(batches, { split, objectMode: as !== 'bytes', highWaterMark, signal });
  return stream as ReadableOf<never>; // `as` decides on its values: the overloads of `Consumers` name them
}

const splits: Readonly<Record<ReadableAs, (batch: Batch) => readonly unknown[]>> = {
  items: (batch) => batch.values(),
  batches: (batch) => [batch],
  bytes: (batch) => [batch.bytes],
};
