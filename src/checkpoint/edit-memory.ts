/** Reads and changes what a store remembers, between two runs. */
import { ExtractError } from '../core/errors/errors.js';
import type { RunMemory } from '../incremental/run-memory.js';
import { memoryIn } from './checkpoint.js';
import { recordIn, type StateRecord, textOf } from './records.js';
import type { OpenStore, Store } from './store/store.js';

/** Rejects with ERR_STATE if a run uses the store, or it cannot be read. */
export const readMemory = (store: Store): Promise<RunMemory> =>
  withStore(store, async ({ records }) => memoryIn(records.map(recordIn)));

/**
 * Replaces what is remembered. Rejects as `readMemory`, and with ERR_STATE if a run was interrupted: it began at what
 * was remembered then.
 */
export const changeMemory = (store: Store, change: (memory: RunMemory) => RunMemory): Promise<RunMemory> =>
  withStore(store, async (opened) => {
    const records = opened.records.map(recordIn);
    if (records.length > 0 && !records.some(isEnd)) throw interrupted(opened.name);
    const remembered = change(memoryIn(records));
    await opened.replace([textOf({ type: 'memory', remembered })]);
    return remembered;
  });

/** Nothing is left to continue after it. */
const isEnd = ({ type }: StateRecord): boolean => type === 'done' || type === 'rejected' || type === 'memory';

const interrupted = (name: string): ExtractError =>
  new ExtractError(
    'ERR_STATE',
    `the run in "${name}" was interrupted, and began at what is remembered: end it first, with rxtract run --resume`,
  );

async function withStore<T>(store: Store, work: (opened: OpenStore) => Promise<T>): Promise<T> {
  const opened = await store.open();
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}
