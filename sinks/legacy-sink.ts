/** Adapts sinks of the contract before `recovery`; supported for one more version. */
import type { Exact } from '../src/core/json/exact.js';
import type { Batch } from '../src/core/model/batch.js';
import type { Closing, Earlier, Guarantee, Opening, PageEnd, Recovery, Sink, SinkOutput } from './contract.js';

/** A position in the output of one data type, in the sink's own format. */
export interface Mark {
  readonly dataType: string;
  readonly position: unknown;
}

/**
 * A sink of the contract before `recovery`. A page begins with `mark`, and `rollback` returns to it.
 *
 * @deprecated Write a `Sink`: `commit` and `rollback(dataType)` in place of `mark`, `rollback(mark)` and `checkpoint`,
 * `recovery` in place of `guarantee`.
 */
export interface LegacySink<Item = unknown> {
  open?(dataType: string, job: string, opening?: Opening): void | Promise<void>;
  write(batch: Batch<Item>, signal: AbortSignal): void | Promise<void>;
  mark?(dataType: string, signal?: AbortSignal): Mark | Promise<Mark>;
  rollback?(mark: Mark): void | Promise<void>;
  durable?(): Promise<void>;
  readonly guarantee?: Guarantee;
  resume?(earlier: Earlier): void | Promise<void>;
  checkpoint?(dataType: string): Promise<Exact>;
  published?(dataType: string): readonly string[] | Promise<readonly string[]>;
  close(closing?: Closing): void | Promise<void>;
  abort(reason: unknown): void | Promise<void>;
  summary?(): readonly SinkOutput[];
}

/** A sink of either form. */
export type AnySink<Item = unknown> = Sink<Item> | LegacySink<Item>;

const adapted = Symbol('adapted');

/** Whether the sink is an adapted one. */
export const isAdapted = (sink: object): boolean => adapted in sink;

/** Returns a current sink as it is, and adapts an old one. */
export function adaptSink<Item>(sink: AnySink<Item>): Sink<Item> {
  return isLegacy(sink) ? adaptLegacy(sink) : sink;
}

function isLegacy<Item>(sink: AnySink<Item>): sink is LegacySink<Item> {
  if ('commit' in sink || 'recovery' in sink) return false;
  return 'mark' in sink || 'checkpoint' in sink || 'guarantee' in sink;
}

const recoveries: Readonly<Record<Guarantee, Recovery>> = {
  'exactly once': 'cut',
  'effectively once': 'ids',
  'at least once': 'none',
};

/** Takes the mark with the first batch after a commit, and keeps it until the next commit. */
function adaptLegacy<Item>(sink: LegacySink<Item>): Sink<Item> & { readonly [adapted]: true } {
  const marks = new Map<string, Mark>();
  let isStored = false;
  const { open, durable, published, summary } = sink;
  const start = async (batch: Batch<Item>, signal: AbortSignal) => {
    const mark = await sink.mark?.(batch.dataType, signal);
    if (mark !== undefined) marks.set(batch.dataType, mark);
    await sink.write(batch, signal);
  };
  const rollback = (dataType: string) => {
    const mark = marks.get(dataType);
    return mark === undefined ? undefined : sink.rollback?.(mark);
  };

  return {
    [adapted]: true,
    recovery: recoveries[sink.guarantee ?? 'at least once'],
    resume(earlier) {
      isStored = earlier.isStored;
      return isStored ? sink.resume?.(earlier) : undefined;
    },
    write: (batch, signal) =>
      sink.mark === undefined || marks.has(batch.dataType) ? sink.write(batch, signal) : start(batch, signal),
    commit({ dataType }: PageEnd) {
      marks.delete(dataType);
      return isStored ? sink.checkpoint?.(dataType) : undefined;
    },
    ...(sink.mark === undefined || sink.rollback === undefined ? {} : { rollback }),
    ...(open === undefined ? {} : { open: (dataType, job, opening) => open.call(sink, dataType, job, opening) }),
    ...(durable === undefined ? {} : { durable: () => durable.call(sink) }),
    ...(published === undefined ? {} : { published: (dataType) => published.call(sink, dataType) }),
    ...(summary === undefined ? {} : { summary: () => summary.call(sink) }),
    close: (closing) => sink.close(closing),
    abort: (reason) => sink.abort(reason),
  };
}
