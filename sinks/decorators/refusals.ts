/** What one sink has refused: counts, the first items with their places, and notices. */
import type { Batch } from '../../src/core/model/batch.js';
import type { Notify } from '../../src/core/model/notice.js';
import { placeOf } from '../item-errors.js';

/** The place of a refused item. */
export interface RefusedPlace {
  readonly job: string;
  readonly dataType: string;
  readonly walk: string;
  /** From 0. */
  readonly page: number;
  /** The place in the page, from 0. */
  readonly item: number;
  readonly error: string;
}

/** The items that a sink has refused in this process. */
export interface RefusedItems {
  /** The name of the sink. */
  readonly name: string;
  readonly items: number;
  /** The first 100; the first of them is the first error. */
  readonly places: readonly RefusedPlace[];
}

/** Collects the refused items of a sink. They count when their page is committed. */
export interface Refusals {
  readonly name: string;
  add(batch: Batch, index: number, error: string): void;
  /** The page of the data type is committed. */
  count(dataType: string): void;
  /** The page of the data type is rolled back. */
  drop(dataType: string): void;
  /** How many of the data type count. */
  itemsOf(dataType: string): number;
  /** Empty if there are none. */
  summary(): readonly RefusedItems[];
}

const mostPlaces = 100;
/** Further items are in the summary. */
const mostNotices = 10;

interface Page {
  items: number;
  readonly places: RefusedPlace[];
}

/** Starts without any. `name`: the name of the sink. */
export function createRefusals(name: string, { notify }: { readonly notify: Notify }): Refusals {
  const pages = new Map<string, Page>();
  const places: RefusedPlace[] = [];
  const byDataType = new Map<string, number>();
  let [items, notices] = [0, 0];
  return {
    name,
    add(batch, index, error) {
      const { job, dataType, walk, page, offset } = batch;
      const own = pages.get(dataType) ?? { items: 0, places: [] };
      own.items += 1;
      if (own.places.length < mostPlaces) {
        own.places.push({ job, dataType, walk, page, item: offset + index, error });
      }
      pages.set(dataType, own);
      notices += 1;
      if (notices > mostNotices) return;
      const rest = notices === mostNotices ? '; further items are counted in the summary' : '';
      const message = `${name} refused ${placeOf(batch, index)}: ${error}${rest}`;
      notify({ level: 'info', code: 'item-refused', message, job, page });
    },
    count(dataType) {
      const own = pages.get(dataType);
      pages.delete(dataType);
      if (own === undefined) return;
      items += own.items;
      byDataType.set(dataType, (byDataType.get(dataType) ?? 0) + own.items);
      places.push(...own.places.slice(0, mostPlaces - places.length));
    },
    drop: (dataType) => void pages.delete(dataType),
    itemsOf: (dataType) => byDataType.get(dataType) ?? 0,
    summary: () => (items === 0 ? [] : [{ name, items, places }]),
  };
}
