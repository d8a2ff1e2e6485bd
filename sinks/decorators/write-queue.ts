/** Writes that a decorator has accepted and its sink has not: in order for each data type, with their first failure. */

import { ExtractError } from '../../src/core/errors/errors.js';
import { elementAt } from '../../src/core/util/element-at.js';
import type { Opening, Sink } from '../contract.js';
import { hasEnded, orAborted, throwIfAborted } from '../errors.js';
import { settleAll } from '../settle.js';

export interface WriteQueue {
  /** Passes on what `open` was given. */
  open(opening: Opening | undefined): void;
  /** Throws if the sink has ended, the signal has aborted, or an accepted write has failed. */
  mayWrite(signal: AbortSignal): void;
  /** Writes after all earlier work of the data type; does nothing once that has failed. Reports a failure. */
  add(dataType: string, write: (signal: AbortSignal) => void | Promise<void>): void;
  /** Settles when the data type has fewer writes on their way than this, or a write has failed. */
  below(dataType: string, size: number, signal: AbortSignal): Promise<void>;
  /** Settles when nothing is on its way; for one data type or all. Throws the first failure. */
  settled(dataType?: string): Promise<void>;
  /** Ends what is on its way for the data type, and forgets its failure. */
  cancel(dataType: string): Promise<void>;
  /** Refuses writes from now on. With a reason it also ends what is on its way. */
  end(reason?: unknown): Promise<void>;
}

interface DataTypeQueue {
  /** In order; the first one is in progress. */
  readonly pending: Promise<void>[];
  readonly controller: AbortController;
  failure: { readonly thrown: unknown } | undefined;
}

/** `name`: the decorator in messages. */
export function createWriteQueue(name: string): WriteQueue {
  const queues = new Map<string, DataTypeQueue>();
  let report: Opening['onFailure'];
  let isOver = false;
  const queueOf = (dataType: string): DataTypeQueue => {
    const found = queues.get(dataType);
    if (found !== undefined) return found;
    const own: DataTypeQueue = { pending: [], controller: new AbortController(), failure: undefined };
    queues.set(dataType, own);
    return own;
  };
  const mustBeSound = () => {
    for (const { failure } of queues.values()) if (failure !== undefined) throw failure.thrown;
  };
  const chosen = (dataType: string | undefined) =>
    dataType === undefined ? [...queues.values()] : [queueOf(dataType)];
  return {
    open(opening) {
      report = opening?.onFailure ?? report;
    },
    mayWrite(signal) {
      if (isOver) throw hasEnded(name);
      throwIfAborted(signal);
      mustBeSound();
    },
    add: (dataType, write) => addStep(queueOf(dataType), write, (thrown) => report?.(thrown)),
    async below(dataType, size, signal) {
      const { pending } = queueOf(dataType);
      while (pending.length >= size) await orAborted(elementAt(pending, 0), signal);
      mustBeSound();
    },
    async settled(dataType) {
      for (const { pending } of chosen(dataType)) while (pending.length > 0) await pending[0];
      mustBeSound();
    },
    async cancel(dataType) {
      const own = queueOf(dataType);
      own.controller.abort(hasEnded(name));
      await Promise.all(own.pending);
      queues.delete(dataType);
    },
    async end(reason) {
      isOver = true;
      if (reason === undefined) return;
      for (const { controller } of queues.values()) controller.abort(reason);
      await settleAll([...queues.values()].flatMap(({ pending }) => pending));
    },
  };
}

/**
 * The calls of a sink behind a queue: each of them waits for the writes on their way. `flush` puts what waits into the
 * queue, `drop` forgets it; without a data type for all.
 */
export function queued(
  sink: Sink,
  queue: WriteQueue,
  { flush, drop }: QueuedOptions = { flush() {}, drop() {} },
): Partial<Sink> {
  const { durable, rollback, leave } = sink;
  const settled = async (dataType?: string) => {
    flush(dataType);
    await queue.settled(dataType);
  };
  return {
    open(dataType, job, opening) {
      queue.open(opening);
      return sink.open?.(dataType, job, opening);
    },
    async prepare(page, signal) {
      await orAborted(settled(page.dataType), signal);
      await sink.prepare?.(page, signal);
    },
    async commit(page, signal) {
      try {
        await orAborted(settled(page.dataType), signal);
      } catch (thrown) {
        drop(page.dataType);
        throw thrown;
      }
      return sink.commit?.(page, signal);
    },
    ...(rollback === undefined
      ? {}
      : {
          async rollback(dataType) {
            drop(dataType);
            await queue.cancel(dataType);
            await rollback.call(sink, dataType);
          },
        }),
    ...(durable === undefined
      ? {}
      : {
          async durable() {
            await settled();
            await durable.call(sink);
          },
        }),
    async close(closing) {
      await queue.end();
      await settled();
      await sink.close(closing);
    },
    ...(leave === undefined
      ? {}
      : {
          async leave() {
            await queue.end();
            await settled();
            await leave.call(sink);
          },
        }),
    async abort(reason) {
      drop();
      await queue.end(reason ?? new ExtractError('ERR_ABORTED', 'the run was interrupted'));
      await sink.abort(reason);
    },
  };
}

interface QueuedOptions {
  readonly flush: (dataType?: string) => void;
  readonly drop: (dataType?: string) => void;
}

type Write = Parameters<WriteQueue['add']>[1];

function addStep(own: DataTypeQueue, write: Write, report: (thrown: unknown) => void): void {
  const { signal } = own.controller;
  const work = async () => {
    if (own.failure === undefined && !signal.aborted) await orAborted(Promise.resolve(write(signal)), signal);
  };
  const step = (own.pending.at(-1) ?? Promise.resolve())
    .then(work)
    .catch((thrown: unknown) => {
      if (signal.aborted) return;
      own.failure ??= { thrown };
      report(thrown);
    })
    .finally(() => void own.pending.shift());
  own.pending.push(step);
}
