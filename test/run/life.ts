/** A process that ends after so many steps: a step is before or after a call of a sink or of the journal. */
import type { Sink } from '../../sinks/contract.js';
import { delegate } from '../../sinks/delegate.js';
import type { Store as JournalStore } from '../../src/checkpoint/store/store.js';
import type { MemoryStore } from '../checkpoint/memory-store.js';

export function createLife(steps: number) {
  let left = steps;
  const step = () => {
    left -= 1;
    if (left < 0) throw new Error('killed');
  };
  const around = async <T>(work: () => T | Promise<T>): Promise<T> => {
    step();
    const result = await work();
    step();
    return result;
  };
  return {
    isOver: () => left < 0,
    sink: (sink: Sink): Sink => {
      const { commit, prepare } = sink;
      return delegate(sink, {
        write: (batch, signal) => around(() => sink.write(batch, signal)),
        ...(prepare === undefined ? {} : { prepare: (page, signal) => around(() => prepare(page, signal)) }),
        ...(commit === undefined ? {} : { commit: (page, signal) => around(() => commit(page, signal)) }),
        close: (closing) => around(() => sink.close(closing)),
      });
    },
    store: (store: MemoryStore): JournalStore => ({
      async open() {
        const opened = await store.open();
        return { ...opened, append: (texts) => around(() => opened.append(texts)) };
      },
    }),
  };
}
