/** Observes a sample of the items of a run: of each job the first ones, then ever fewer. */
import { borrowing, isBorrowing } from '../../sinks/borrowing.js';
import type { Sink } from '../../sinks/contract.js';
import { delegate, symbolsOf } from '../../sinks/delegate.js';
import { createObserver, type Observer } from '../../sinks/shape/observe.js';
import { anything, type ValueShape } from '../../sinks/shape/value-shape.js';
import { type Batch, startOf } from '../core/model/batch.js';

/** The first items of each job are observed, then ever fewer: after item `n` the one that is `n / 4` further on. */
const firstItems = 20;
const nextOf = (item: number): number => (item < firstItems - 1 ? item + 1 : item + Math.floor(item / 4));
/** Of a job so many are observed whatever other jobs have: its first ones. */
const leastItems = 5;
/** No more is observed than this and a share of all that arrives. */
const most = { items: 100, bytes: 256 * 1024 };
const share = { items: 1 / 500, bytes: 1 / 200 };
/** Where a job is. */
interface Place {
  items: number;
  /** The number of the next item that is observed. */
  next: number;
}

/** The items of a run that are observed. */
export class ItemSample {
  readonly #places = new Map<string, Place>();
  readonly #observers = new Map<string, Observer>();
  readonly #left = { ...most };

  add(batch: Batch): void {
    const bytes = startOf(batch, batch.count) - startOf(batch, 0);
    this.#left.items += batch.count * share.items;
    this.#left.bytes += bytes * share.bytes;
    const place = this.#places.get(batch.job) ?? { items: 0, next: 0 };
    this.#places.set(batch.job, place);
    const end = place.items + batch.count;
    for (; place.next < end; place.next = nextOf(place.next)) this.#observe(batch, place);
    place.items = end;
  }

  #observe(batch: Batch, { items, next }: Place): void {
    const index = next - items;
    const size = startOf(batch, index + 1) - startOf(batch, index);
    if (size > this.#left.bytes || (this.#left.items < 1 && next >= leastItems)) return;
    const observer = this.#observers.get(batch.dataType) ?? createObserver();
    this.#observers.set(batch.dataType, observer);
    observer.add(batch, index, index + 1);
    this.#left.items -= 1;
    this.#left.bytes -= size;
  }

  /** By data type; those of which an item was observed. */
  shapes(): readonly (readonly [dataType: string, shape: ValueShape])[] {
    return [...this.#observers].map(([dataType, observer]) => [dataType, observer.shape() ?? anything]);
  }
}

/** The sink; a sample of the items that it gets is observed. */
export function sampling(sample: ItemSample, sink: Sink): Sink {
  const write: Sink['write'] = (batch, signal) => {
    sample.add(batch);
    return sink.write(batch, signal);
  };
  const changed = { write: isBorrowing(sink.write) ? borrowing(write) : write };
  return Object.assign(delegate(sink, changed), symbolsOf(sink));
}
