import type { Batch } from '../src/core/model/batch.js';
import type { Mark, Sink } from './contract.js';
import { createTally } from './counts.js';
import { hasEnded, throwIfAborted } from './errors.js';

export interface MemorySink extends Sink {
  /** What was taken and not rolled back, in the order of arrival. */
  readonly batches: readonly Batch[];
  /** The values of all items, or of one data type's. */
  items(dataType?: string): readonly unknown[];
}

/** Makes a sink whose memory grows with what is extracted. */
export function memory(): MemorySink {
  let batches: Batch[] = [];
  let ended = false;
  const of = (dataType: string) => batches.filter((batch) => batch.dataType === dataType);
  const end = () => {
    ended = true;
  };

  return {
    get batches() {
      return batches;
    },
    items: (dataType) => (dataType === undefined ? batches : of(dataType)).flatMap((batch) => batch.values()),
    async write(batch, signal) {
      if (ended) throw hasEnded('memory');
      throwIfAborted(signal);
      batches.push(batch);
    },
    mark: (dataType) => ({ dataType, position: of(dataType).length }),
    rollback(mark) {
      let left = lengthAt(mark);
      batches = batches.filter(({ dataType }) => dataType !== mark.dataType || left-- > 0);
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

function lengthAt({ position }: Mark): number {
  return position as number; // a sink only ever gets back what its own `mark` returned
}
