/**
 * A user's program around `extract`: jobs, receipts and consumers, mostly with inferred types, which are exported to
 * prove that they can be named.
 */
import type { Readable } from 'node:stream';
import { lastValueFrom, map, type Observable, toArray } from 'rxjs';
import {
  type Batch,
  type Exact,
  ExactNumber,
  extract,
  type JobExtraction,
  type PageRequest,
  type Receipt,
  stringifyExact,
} from 'rxtract';
import { filterItems, mapItems } from 'rxtract/sinks';
import { configuration } from './run.js';

interface Order {
  readonly id: number;
  readonly total: string;
}

export const extraction = extract<Order>(configuration);
export const receipts: Observable<Receipt> = extraction.receipts;
export const requests: readonly (PageRequest | undefined)[] = await lastValueFrom(
  receipts.pipe(
    map(({ next }) => next),
    toArray(),
  ),
);
export const methods = requests.map((request) => request?.method);
export const headers = requests.map((request) => request?.headers);

const first: JobExtraction<Order> | undefined = extraction.jobs[0];
console.log(first?.name);

export const orders = extraction.job('orders');
for await (const { total } of orders.items()) console.log(total.length);
for await (const batch of orders.batches()) {
  const sum: number = batch.values().reduce((so, { id }) => so + id, 0);
  const exact: readonly Exact[] = batch.exact();
  console.log(sum, exact.map(stringifyExact));
}

export const rows = orders.readable();
for await (const { id } of rows) console.log(id + 1);
export const bytes = orders.readable({ as: 'bytes' });
const stream: Readable = bytes;
stream.destroy();
export const totals: Observable<string> = orders.observable().pipe(map(({ total }) => total));

export const large = orders
  .through(filterItems(({ id }) => id > 1000))
  .through(mapItems(({ id }) => ({ key: `order-${id}` })));
for await (const { key } of large.items()) console.log(key.toUpperCase());
export const slabs: AsyncIterable<Batch<{ key: string }>> = large.batches();

export const digits = new ExactNumber('12345678901234567890').text;
