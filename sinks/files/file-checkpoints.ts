/** The current checkpoints of a sink's files by data type: counts, and the CRC-32 for verification on resume. */
import { crc32 } from 'node:zlib';
import type { Batch } from '../../src/core/model/batch.js';
import { type Counts, createTally } from '../counts.js';
import type { FileCheckpoint } from './resume-file.js';

export interface FileCheckpoints extends Pick<Counts, 'open' | 'summary'> {
  /** Starts to compute checksums; before that, none is needed. */
  sum(): void;
  add(batch: Batch): void;
  at(dataType: string): FileCheckpoint;
  reset(dataType: string, checkpoint: FileCheckpoint): void;
}

/** Creates checkpoints of empty files. */
export function createFileCheckpoints(): FileCheckpoints {
  const tally = createTally();
  const sums = new Map<string, number>();
  let isSumming = false;
  const sumOf = (dataType: string) => sums.get(dataType) ?? 0;

  return {
    open: tally.open,
    summary: tally.summary,
    sum() {
      isSumming = true;
    },
    add(batch) {
      tally.add(batch);
      if (isSumming) sums.set(batch.dataType, crc32(batch.bytes, sumOf(batch.dataType)));
    },
    at(dataType) {
      const { items, bytes } = tally.at(dataType);
      return { items, bytes, crc: sumOf(dataType) };
    },
    reset(dataType, { items, bytes, crc }) {
      tally.reset(dataType, { items, bytes });
      sums.set(dataType, crc);
    },
  };
}
