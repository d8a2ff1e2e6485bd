/** Counts items and bytes by data type, for the summary of a sink. */
import { type Batch, sizeOf } from '../src/core/model/batch.js';
import type { SinkOutput } from './contract.js';

export interface Count {
  readonly items: number;
  readonly bytes: number;
}

export interface Counts {
  /** Announces a data type, so that the summary lists it even without items. */
  open(dataType: string): void;
  /** Adds a batch. `without`: indexes of items that were left out. */
  add(batch: Batch, without?: readonly number[]): void;
  /** Adds a count, which may be negative. */
  increase(dataType: string, count: Count): void;
  at(dataType: string): Count;
  reset(dataType: string, count: Count): void;
  /** One line per data type, in order of first use. */
  summary(nameOf?: (dataType: string) => string): readonly SinkOutput[];
}

export const nothing: Count = { items: 0, bytes: 0 };

/** Starts at zero. */
export function createTally(): Counts {
  const counts = new Map<string, Count>();
  const at = (dataType: string) => counts.get(dataType) ?? nothing;
  const increase = (dataType: string, { items, bytes }: Count) => {
    const before = at(dataType);
    counts.set(dataType, { items: before.items + items, bytes: before.bytes + bytes });
  };
  return {
    at,
    increase,
    open: (dataType) => void counts.set(dataType, at(dataType)),
    add: (batch, without = []) => {
      const { dataType, count, bytes } = batch;
      const left = without.reduce((sum, index) => sum + sizeOf(batch, index), 0);
      increase(dataType, { items: count - without.length, bytes: bytes.length - left });
    },
    reset: (dataType, count) => void counts.set(dataType, count),
    summary: (nameOf = (dataType) => dataType) =>
      [...counts].map(([dataType, count]) => ({ dataType, name: nameOf(dataType), ...count })),
  };
}
