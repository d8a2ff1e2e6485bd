/** Cuts the items of a page into batches of another size, for a sink that wants larger or smaller ones. */

import type { Batch } from '../../src/core/model/batch.js';
import { whole } from '../../src/core/options/kinds.js';
import { valueInCode } from '../../src/core/options/read-options.js';
import { usageError } from '../../src/core/util/check-value.js';
import { cut, follows, joined } from '../batch-parts.js';
import type { Sink, SinkFunction } from '../contract.js';
import { delegate } from '../delegate.js';
import { orAborted } from '../errors.js';
import { sinkOf } from '../from-function.js';
import { createWriteQueue, queued, type WriteQueue } from './write-queue.js';

/** When a batch is full. At least `count` or `bytes`. */
export interface BatchBounds {
  /** Most items. */
  readonly count?: number;
  /** Most bytes, unless one item has more. */
  readonly bytes?: number;
  /** How long items wait for a full batch, in ms. Absent: to the end of their page. */
  readonly ms?: number;
}

/**
 * Gives a sink batches of this size. A batch never has items of two pages: the last one of a page may be smaller. Items
 * keep their ids and places. Without `ms` a page that is sent again has the same batches. Memory holds one batch for
 * each data type. The recovery of the sink stays. Throws ERR_USAGE.
 */
export function batchBy<Item = unknown>(to: Sink<Item> | SinkFunction<Item>, bounds: BatchBounds): Sink<Item> {
  mustBeBounds(bounds);
  const sink: Sink = sinkOf(to);
  const queue = createWriteQueue('batchBy');
  const groups = createGroups(sink, queue, bounds);
  return delegate(sink, {
    ...queued(sink, queue, groups),
    async write(batch, signal) {
      queue.mayWrite(signal);
      groups.add(batch);
      await orAborted(queue.settled(batch.dataType), signal);
    },
  });
}

function mustBeBounds(bounds: BatchBounds): void {
  const { count, bytes } = bounds;
  if (count === undefined && bytes === undefined) throw usageError('batchBy: needs count, bytes or both');
  for (const name of ['count', 'bytes', 'ms'] as const) {
    const value = bounds[name];
    if (value !== undefined) valueInCode(`batchBy: ${name}`, whole(1), value);
  }
}

/** Items of one page that wait for a full batch. */
interface Group {
  readonly batches: Batch[];
  count: number;
  bytes: number;
  timer: NodeJS.Timeout | undefined;
}

function createGroups(sink: Sink, queue: WriteQueue, { count: most, bytes: mostBytes, ms }: BatchBounds) {
  const groups = new Map<string, Group>();
  const bounds = { mostItems: most ?? Number.POSITIVE_INFINITY, mostBytes: mostBytes ?? Number.POSITIVE_INFINITY };
  const take = (dataType: string): Group | undefined => {
    const group = groups.get(dataType);
    groups.delete(dataType);
    clearTimeout(group?.timer);
    return group;
  };
  const flushOne = (dataType: string) => {
    const [first, ...rest] = take(dataType)?.batches ?? [];
    if (first !== undefined) queue.add(dataType, (signal) => sink.write(joined(first, rest), signal));
  };
  const put = (batch: Batch) => {
    const group = groups.get(batch.dataType) ?? { batches: [], count: 0, bytes: 0, timer: undefined };
    if (ms !== undefined) group.timer ??= setTimeout(() => flushOne(batch.dataType), ms);
    group.batches.push(batch);
    group.count += batch.count;
    group.bytes += batch.bytes.length;
    groups.set(batch.dataType, group);
    if (group.count >= bounds.mostItems || group.bytes >= bounds.mostBytes) flushOne(batch.dataType);
  };
  const namesOf = (dataType: string | undefined) => (dataType === undefined ? [...groups.keys()] : [dataType]);
  return {
    add(batch: Batch) {
      const { dataType } = batch;
      const last = groups.get(dataType)?.batches.at(-1);
      if (last !== undefined && !follows(batch, last)) flushOne(dataType);
      for (const piece of cut(batch, groups.get(dataType), bounds)) {
        if (piece.isFirst) flushOne(dataType);
        put(piece.batch);
      }
    },
    flush(dataType?: string) {
      for (const name of namesOf(dataType)) flushOne(name);
    },
    drop(dataType?: string) {
      for (const name of namesOf(dataType)) take(name);
    },
  };
}
