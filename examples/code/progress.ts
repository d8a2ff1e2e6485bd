/** Progress by receipts: one for each page that has been consumed. */
import { extract } from 'rxtract';
import { events } from './sample.js';

const extraction = extract(events);
let bytes = 0;
const batches = extraction.batches({
  onReceipt: ({ job, index, count, next }) =>
    console.log(`${job}: page ${index + 1}, ${count} items${next === undefined ? ', done' : ''}`),
});
for await (const batch of batches) bytes += batch.bytes.length;

console.log(`${bytes} bytes`);
for (const { job, items, requests } of extraction.summary().jobs)
  console.log(`${job}: ${items} items, ${requests} requests`);
