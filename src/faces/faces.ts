/** The faces that jobs show to code: loops, streams and observables over one hand-over, each a run of its own. */
import type { Observable } from 'rxjs';
import { pull } from '../../operators/pull.js';
import { createHandOver } from '../../sinks/hand-over.js';
import { type Transform, through } from '../../sinks/through.js';
import { ExtractError } from '../errors.js';
import type { Batch } from '../types.js';
import type { Begin, FaceOptions } from './begin.js';
import { looped } from './loop.js';
import { type ReadableOf, readableOf } from './readable.js';

/** What a stream gives: items and batches as objects, or the NDJSON text of the items. */
export type ReadableAs = 'items' | 'batches' | 'bytes';

export interface ReadableOptions<As extends ReadableAs = ReadableAs> extends FaceOptions {
  /** `items`. */
  readonly as?: As;
  /** How many items, batches or bytes the stream may read ahead; 0: none is read before it is asked for. */
  readonly highWaterMark?: number;
}

/**
 * Ways to pull items. Each loop, stream and subscription is a run of its own, which begins with the first demand. A batch is handed over
 * when it is asked for, and the engine stands still until the next demand: no page is requested before the one in hand is used up.
 * Leaving early aborts the request in flight. What was handed over is not taken back: see `batchBytes`.
 */
export interface Faces<Item = unknown> {
  /** One value at a time. The batch they come from is parsed as a whole. */
  items(options?: FaceOptions): AsyncIterable<Item>;
  /** One slab of NDJSON at a time, about 1 MiB. */
  batches(options?: FaceOptions): AsyncIterable<Batch<Item>>;
  /** A stream of Node. It closes when all has been let go. A null among items fails with ERR_USAGE. */
  readable(options?: ReadableOptions<'items'>): ReadableOf<Item>;
  readable(options: ReadableOptions<'batches'>): ReadableOf<Batch<Item>>;
  readable(options: ReadableOptions<'bytes'>): ReadableOf<Buffer>;
  /** One item after the other. Only synchronous operators hold it back: for others, `pull` of `rxtract/operators` over `batches()`. */
  observable(options?: FaceOptions): Observable<Item>;
  /** The same faces behind a transform. */
  through<Out>(transform: Transform<Item, Out>): Faces<Out>;
}

/** Makes the faces of what `begin` runs. */
export function facesOf<Item>(begin: Begin<Item>): Faces<Item> {
  const batches = (options: FaceOptions = {}) => looped((left) => handedOver(begin, options, left));
  return {
    items: (options = {}) => looped((left) => eachItem(handedOver(begin, options, left))),
    batches,
    readable: (options: ReadableOptions = {}) => readable(batches(options), options),
    observable: (options) => pull(batches(options), (batch) => batch.values()),
    through: <Out>(transform: Transform<Item, Out>) =>
      facesOf<Out>((sink, options, left) => begin(through(sink, transform), options, left)),
  };
}

async function* handedOver<Item>(
  begin: Begin<Item>,
  options: FaceOptions,
  left: AbortSignal,
): AsyncGenerator<Batch<Item>, void> {
  const { sink, take, end } = createHandOver<Item>();
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
  return stream as ReadableOf<never>; // what it gives is what `as` says: the overloads of `Faces` name it
}

const splits: Readonly<Record<ReadableAs, (batch: Batch) => readonly unknown[]>> = {
  items: (batch) => batch.values(),
  batches: (batch) => [batch],
  bytes: (batch) => [batch.bytes],
};
