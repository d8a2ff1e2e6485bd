import type { Items } from '../core/model/batch.js';

/** Item `index`, from 0, as compact JSON. */
export const itemAt = ({ bytes, offsets }: Items, index: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', offsets[index], offsets[index + 1]);
