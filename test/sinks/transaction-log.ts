/** A log with transactions, in memory: what outlives a process is the destination, what does not is the sink. */
import type { Earlier, PageEnd, Sink } from '../../sinks/contract.js';
import type { Batch } from '../../src/core/model/batch.js';

/** What outlives the processes that write to it. */
export interface Destination {
  /** `<data type> <item>`, in the order of their commits. */
  readonly items: string[];
  /** By run, with its member, and lane. */
  readonly keeps: Map<string, string>;
  readonly epochs: Map<string, number>;
}

export const destination = (): Destination => ({ items: [], keeps: new Map(), epochs: new Map() });

/** A copy: the destination as it was. */
export const copyOf = ({ items, keeps, epochs }: Destination): Destination => ({
  items: [...items],
  keeps: new Map(keeps),
  epochs: new Map(epochs),
});

/** What goes wrong: called before and after the transaction of a commit is applied. */
export interface LogFaults {
  readonly before?: (page: PageEnd) => void;
  readonly after?: (page: PageEnd) => void;
  readonly positions?: () => void;
}

/** A sink over the destination, of one process. */
export function transactionLog(to: Destination, faults: LogFaults = {}, more: Partial<Sink> = {}): Sink {
  const pending = new Map<string, string[]>();
  let mine: Pick<Earlier, 'run' | 'epoch'> = { run: '', epoch: 0 };
  const fence = () => {
    if (to.epochs.get(mine.run) !== mine.epoch) throw new Error('fenced');
  };
  return {
    name: 'log',
    recovery: 'transaction',
    resume(earlier) {
      const { member, epoch } = earlier;
      mine = { run: member === undefined ? earlier.run : `${earlier.run}/${member}`, epoch };
      if ((to.epochs.get(mine.run) ?? 0) > epoch) throw new Error('fenced');
      to.epochs.set(mine.run, epoch);
    },
    positions() {
      faults.positions?.();
      const own = [...to.keeps].filter(([key]) => key.startsWith(`${mine.run} `));
      return new Map(own.map(([key, keep]) => [key.slice(mine.run.length + 1), keep]));
    },
    write({ dataType, bytes }: Batch, signal) {
      signal.throwIfAborted();
      const lines = Buffer.from(bytes).toString().split('\n').slice(0, -1);
      const all = lines.map((line) => `${dataType} ${line}`);
      pending.set(dataType, [...(pending.get(dataType) ?? []), ...all]);
    },
    commit(page) {
      const lines = pending.get(page.dataType) ?? [];
      pending.delete(page.dataType); // a commit that rejects ends the page too
      fence();
      faults.before?.(page);
      to.items.push(...lines);
      if (page.keep !== undefined) to.keeps.set(`${mine.run} ${page.lane}`, page.keep);
      faults.after?.(page);
    },
    rollback: (dataType) => void pending.delete(dataType),
    close() {},
    abort: () => pending.clear(),
    ...more,
  };
}
