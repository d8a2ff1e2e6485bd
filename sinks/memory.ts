/** A sink that keeps all batches in memory, for tests and small extractions. */
import type { Batch } from '../src/core/model/batch.js';
import type { Sink } from './contract.js';
import { createTally } from './counts.js';
import { digestedFile } from './digested-file.js';
import { hasEnded, throwIfAborted } from './errors.js';

export interface MemorySink extends Sink {
  /** The batches written and not rolled back, in order of arrival. */
  readonly batches: readonly Batch[];
  /** The values of all items, or of one data type. */
  items(dataType?: string): readonly unknown[];
}

/** Creates a sink whose memory grows with the extracted data. Of files it keeps the items only. */
export function memory(): MemorySink {
  let batches: Batch[] = [];
  let ended = false;
  /** The number of batches of each data type, and how many of them are committed. */
  const written = new Map<string, number>();
  const committed = new Map<string, number>();
  const of = (dataType: string) => batches.filter((batch) => batch.dataType === dataType);
  const end = () => {
    ended = true;
  };

  return {
    name: 'memory',
    get batches() {
      return batches;
    },
    items: (dataType) => (dataType === undefined ? batches : of(dataType)).flatMap((batch) => batch.values()),
    async write(batch, signal) {
      if (ended) throw hasEnded('memory');
      throwIfAborted(signal);
      batches.push(batch);
      written.set(batch.dataType, (written.get(batch.dataType) ?? 0) + 1);
    },
    file: digestedFile,
    commit: ({ dataType }) => void committed.set(dataType, written.get(dataType) ?? 0),
    rollback(undone) {
      let left = committed.get(undone) ?? 0;
      written.set(undone, left);
      batches = batches.filter(({ dataType }) => dataType !== undone || left-- > 0);
    },
    close: end,
    abort: end,
    summary() {
      const tally = createTally();
      for (const batch of batches) tally.add(batch);
      return tally.summary(() => 'memory');
    },
  };
}
