/**
 * Compares the first items of a page with the last ones of the page before it: with page numbers and offsets they are
 * the same if items were inserted meanwhile. docs/14-any-response.md#pages-that-shift.
 */
import { type Items, itemAt, itemsBetween, startOf } from '../../core/model/batch.js';
import type { PageStage } from '../page-stage.js';
import { OPEN_OBJECT } from '../scanner/items-locator.js';

/** So many items are compared. */
const mostItems = 8;
/** Items of more bytes are not compared. */
const mostBytes = 256 * 1024;

const none: Items = { bytes: new Uint8Array(0), offsets: new Uint32Array(1), count: 0 };

/** Costs a copy of the last items of each page; a resumed walk does not compare its first page. */
export function watchShifts(): PageStage {
  let page = -1;
  /** The last items of the page before, and of this one so far. */
  let before = none;
  let last = none;
  let shifted = 0;
  let isFirst = true;
  const reset = () => {
    last = none;
    shifted = 0;
    isFirst = true;
  };

  return {
    begin(attempt) {
      if (attempt.page !== page) before = last;
      page = attempt.page;
      reset();
    },
    write(slab, next) {
      if (isFirst) shifted = shiftOf(before, slab);
      isFirst = false;
      last = lastOf(slab);
      return next(slab);
    },
    rollback: reset,
    report(result) {
      result.shifted = shifted === result.received ? 0 : shifted;
    },
  };
}

/** A copy of the last items: the slab may be lent. `slice` of a buffer is no copy. */
function lastOf(slab: Items): Items {
  const isSmall = (from: number) => slab.bytes.length - startOf(slab, from) <= mostBytes;
  let from = Math.max(0, slab.count - mostItems);
  while (from < slab.count && !isSmall(from)) from += 1;
  const { bytes, offsets, count } = itemsBetween(slab, from, slab.count);
  return { bytes: new Uint8Array(bytes), offsets: offsets.slice(), count };
}

/** How many of the first items are the last ones before; the least number that fits. */
function shiftOf(before: Items, slab: Items): number {
  const most = Math.min(before.count, slab.count);
  for (let count = 1; count <= most; count++) {
    const end = startOf(slab, count);
    const from = startOf(before, before.count - count);
    if (before.bytes.length - from !== end) continue;
    const isSame = Buffer.compare(before.bytes.subarray(from), slab.bytes.subarray(0, end)) === 0;
    if (isSame && areDistinct(before, slab, end)) return count;
  }
  return 0;
}

/** Only objects that all differ say so: equal numbers, or equal rows without an id, may follow each other. */
function areDistinct(before: Items, slab: Items, end: number): boolean {
  if (slab.bytes[0] !== OPEN_OBJECT || end < leastBytes) return false;
  const texts = (items: Items) =>
    Array.from({ length: Math.min(items.count, mostItems) }, (_, at) => itemAt(items, at));
  return [before, slab].every((items) => new Set(texts(items)).size === Math.min(items.count, mostItems));
}

/** `{"id":1}` and its newline. */
const leastBytes = 9;
