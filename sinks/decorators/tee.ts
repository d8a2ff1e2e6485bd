/** Gives a copy of all items to a second sink or function, which does not take part in the run. */
import { ExtractError } from '../../src/core/errors/errors.js';
import type { Batch } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import { partOf } from '../batch-parts.js';
import type { Closing, Earlier, Opening, Sink, SinkFunction } from '../contract.js';
import { delegate } from '../delegate.js';
import { sinkOf } from '../from-function.js';

export interface TeeOptions {
  /** What a failure of the copy does: `continue` ends the copy, `fail` ends the run. Default: `continue`. */
  readonly ifCopyFails?: 'continue' | 'fail';
  /** Receives the failure of the copy (`copy-failed`). */
  readonly notify?: Notify;
}

/**
 * Copies what a sink gets. The sink keeps its recovery, and nothing of the copy is stored with a state: after a crash
 * the copy begins anew with the pages that are sent again. To have both complete, use `all`. Each write waits for both.
 * With `continue`, a copy that fails gets nothing more, and the run continues without it. Throws ERR_USAGE.
 */
export function tee<Item = unknown>(
  to: Sink<Item> | SinkFunction<Item>,
  copy: Sink<Item> | SinkFunction<Item>,
  options: TeeOptions = {},
): Sink<Item> {
  const { ifCopyFails = 'continue' } = options;
  if (ifCopyFails !== 'continue' && ifCopyFails !== 'fail') {
    throw new ExtractError('ERR_USAGE', 'tee: ifCopyFails: expected "continue" or "fail"');
  }
  const sink: Sink = sinkOf(to);
  return delegate(sink, copied(sink, createCopy(sinkOf(copy), options)));
}

/** The calls of the sink, each with that of the copy. */
function copied(sink: Sink, copy: Copy): Partial<Sink> {
  const { rollback, leave } = sink;
  return {
    async resume(earlier) {
      await sink.resume?.(earlier);
      await copy.run((to) => to.resume?.(ofCopy(earlier)));
    },
    async open(dataType, job, opening) {
      await sink.open?.(dataType, job, opening);
      await copy.open(dataType, job, opening);
    },
    async write(batch, signal) {
      const writing = async () => sink.write(batch, signal);
      const [own] = await Promise.allSettled([writing(), copy.write(batch, signal)]);
      if (own.status === 'rejected') throw own.reason;
      copy.mustBeSound();
    },
    async commit(page, signal) {
      const { keep: _, ...end } = page; // The copy has no state.
      await copy.run((to) => to.commit?.(end, signal));
      return sink.commit?.(page, signal);
    },
    ...(rollback === undefined
      ? {}
      : {
          async rollback(dataType) {
            await rollback.call(sink, dataType);
            await copy.rollback(dataType);
          },
        }),
    async close(closing) {
      await sink.close(closing);
      await copy.close(closing);
    },
    // A copy does not take part in the run: it ends with its process.
    ...(leave === undefined
      ? {}
      : {
          async leave() {
            await leave.call(sink);
            await copy.close(undefined);
          },
        }),
    async abort(reason) {
      await copy.abort(reason);
      await sink.abort(reason);
    },
  };
}

/** A run of the process alone. */
const ofCopy = ({ member: _, ...earlier }: Earlier): Earlier => ({
  ...earlier,
  isStored: false,
  checkpoints: new Map(),
});

/** The copy, until it fails. */
interface Copy {
  /** Calls the sink of the copy, if it has not failed. */
  run(call: (to: Sink) => unknown): Promise<void>;
  open(dataType: string, job: string, opening: Opening | undefined): Promise<void>;
  write(batch: Batch, signal: AbortSignal): Promise<void>;
  rollback(dataType: string): Promise<void>;
  close(closing: Closing | undefined): Promise<void>;
  abort(reason: unknown): Promise<void>;
  /** Throws the failure of the copy, if it ends the run. */
  mustBeSound(): void;
}

function createCopy(to: Sink, { ifCopyFails = 'continue', notify }: TeeOptions): Copy {
  const place = createPlaces();
  let failure: { readonly thrown: unknown } | undefined;
  const mustBeSound = () => {
    if (failure !== undefined && ifCopyFails === 'fail') throw failure.thrown;
  };
  const fail = async (thrown: unknown) => {
    if (failure !== undefined) return;
    failure = { thrown };
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `the copy to "${to.name ?? 'a sink'}" has failed, and gets no more items: ${reason}`;
    if (ifCopyFails === 'continue') notify?.({ level: 'info', code: 'copy-failed', message });
    await Promise.resolve(to.abort(thrown)).catch(() => {});
  };
  const run: Copy['run'] = async (call) => {
    try {
      if (failure === undefined) await call(to);
    } catch (thrown) {
      await fail(thrown);
    }
    mustBeSound();
  };
  return {
    run,
    mustBeSound,
    async open(dataType, job, opening = {}) {
      const { onItemError: _, ...rest } = opening;
      const onFailure = (thrown: unknown) => {
        void fail(thrown);
        if (ifCopyFails === 'fail') opening.onFailure?.(thrown);
      };
      await run((sink) => sink.open?.(dataType, job, { ...rest, onFailure }));
    },
    async write(batch, signal) {
      const fresh = place.beyond(batch);
      if (fresh === undefined || signal.aborted) return;
      await run(async (sink) => {
        try {
          await sink.write(fresh, signal);
          place.add(batch);
        } catch (thrown) {
          if (!signal.aborted) throw thrown;
        }
      });
    },
    async rollback(dataType) {
      if (to.commit === undefined || to.rollback === undefined) return;
      place.reset(dataType);
      await run((sink) => sink.rollback?.(dataType));
    },
    close: (closing) => run((sink) => sink.close(closing)),
    async abort(reason) {
      if (failure === undefined) await to.abort(reason);
    },
  };
}

/** What the copy has of the page in progress: a copy that cannot roll back does not get those items again. */
function createPlaces() {
  const places = new Map<string, { readonly page: string; readonly next: number }>();
  const keyOf = ({ walk, page }: Batch) => `${walk} ${page}`;
  const nextOf = (batch: Batch) => {
    const found = places.get(batch.dataType);
    return found?.page === keyOf(batch) ? found.next : 0;
  };
  return {
    beyond(batch: Batch): Batch | undefined {
      const known = Math.max(0, nextOf(batch) - batch.offset);
      return known >= batch.count ? undefined : partOf(batch, known, batch.count);
    },
    add(batch: Batch) {
      const next = Math.max(nextOf(batch), batch.offset + batch.count);
      places.set(batch.dataType, { page: keyOf(batch), next });
    },
    reset: (dataType: string) => void places.delete(dataType),
  };
}
