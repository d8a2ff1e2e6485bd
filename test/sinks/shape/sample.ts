/** Items of a rich shape, for tests of shapes. */
import { type Batch, createBatch, joinItems } from '../../../src/core/model/batch.js';

/** An item of a shop, with each kind of value. */
export const sampleItem = (n: number) => ({
  id: n,
  code: `c-${n}`,
  email: n % 3 === 0 ? null : `u${n}@example.com`,
  score: n / 4,
  isActive: n % 2 === 0,
  born: `19${String(10 + (n % 80))}-0${1 + (n % 9)}-1${n % 10}`,
  createdAt: `2026-11-27T10:0${n % 10}:00${n % 2 === 0 ? 'Z' : '.25+01:00'}`,
  uid: `6f9619ff-8b86-d011-b42d-00c04fc9${String(1000 + n)}`,
  status: ['open', 'paid', 'sent'][n % 3],
  address: { city: `Town ${n}`, geo: { lat: 50 + n / 7, lng: 14 }, ...(n % 5 === 0 ? {} : { zip: `${n}` }) },
  lines: Array.from({ length: n % 4 }, (_, line) => ({ sku: `s${n}${line}`, count: line + 1, price: line + 0.5 })),
  tags: n % 2 === 0 ? [] : [`t${n}`],
  ...(n % 7 === 0 ? {} : { note: `a note of ${n} "words" \\ and é` }),
});

/** Lines of JSON as items; `text` writes an item, `JSON.stringify` by default. */
export const batchOf = (
  items: readonly unknown[],
  place: Partial<Pick<Batch, 'dataType' | 'page' | 'offset'>> = {},
  text: (item: unknown) => string = JSON.stringify,
): Batch => {
  const { dataType = 'users', page = 0, offset = 0 } = place;
  const origin = { job: dataType, dataType, run: 'run', walk: '0', page };
  return createBatch(origin, joinItems(items.map((item) => Buffer.from(`${text(item)}\n`))), offset);
};

export const sample = (count: number): Batch => batchOf(Array.from({ length: count }, (_, n) => sampleItem(n)));
