/** Parts of batches, and batches joined: items keep their places in the page. */
import { type Batch, createBatch, itemsBetween, sizeOf, startOf } from '../src/core/model/batch.js';

/** The items from one index to another, without the last: a view, not a copy. */
export function partOf(batch: Batch, from: number, to: number): Batch {
  const items = itemsBetween(batch, from, to);
  return items === batch ? batch : createBatch(batch, items, batch.offset + from);
}

/** The parts of a batch between items that are left out: each part has items that follow one another. */
export function partsWithout(batch: Batch, indexes: readonly number[]): readonly Batch[] {
  const parts: Batch[] = [];
  let from = 0;
  for (const to of [...indexes, batch.count]) {
    if (from < to) parts.push(partOf(batch, from, to));
    from = to + 1;
  }
  return parts;
}

/** Whether the items of a batch follow those of another one in the same page. */
export const follows = (batch: Batch, last: Batch): boolean =>
  last.run === batch.run &&
  last.walk === batch.walk &&
  last.page === batch.page &&
  last.offset + last.count === batch.offset;

/** One batch of batches that follow one another. */
export function joined(first: Batch, rest: readonly Batch[]): Batch {
  if (rest.length === 0) return first;
  const batches = [first, ...rest];
  const count = batches.reduce((sum, each) => sum + each.count, 0);
  const offsets = new Uint32Array(count + 1);
  let [at, end] = [0, 0];
  for (const each of batches) {
    for (let index = 1; index <= each.count; index++) offsets[at + index] = end + startOf(each, index);
    at += each.count;
    end += each.bytes.length;
  }
  return createBatch(first, { bytes: Buffer.concat(batches.map(({ bytes }) => bytes)), offsets, count }, first.offset);
}

/** Bounds of a group of items. */
export interface GroupBounds {
  readonly mostItems: number;
  /** In bytes, unless one item has more. */
  readonly mostBytes: number;
}

/** A part of a batch for one group. */
export interface BatchPiece {
  readonly batch: Batch;
  /** It begins another group. */
  readonly isFirst: boolean;
}

/**
 * Cuts a batch where groups end: a group has as many items as its bounds allow, counted from the beginning of the page,
 * so a page that is sent again has the same groups. `waiting`: the group that the batch continues.
 */
export function cut(
  batch: Batch,
  waiting: { readonly count: number; readonly bytes: number } | undefined,
  { mostItems, mostBytes }: GroupBounds,
): readonly BatchPiece[] {
  const cuts: { readonly from: number; readonly isFirst: boolean }[] = [];
  let items = waiting?.count ?? 0;
  let bytes = waiting?.bytes ?? 0;
  for (let index = 0; index < batch.count; index++) {
    const size = sizeOf(batch, index);
    const isFull = items === mostItems || (items > 0 && bytes + size > mostBytes);
    if (isFull) [items, bytes] = [0, 0];
    if (isFull || index === 0) cuts.push({ from: index, isFirst: isFull });
    items += 1;
    bytes += size;
  }
  return cuts.map(({ from, isFirst }, at) => ({
    batch: partOf(batch, from, cuts[at + 1]?.from ?? batch.count),
    isFirst,
  }));
}
