/** A pipeline into a compressed file: bytes as received, without parsing, at the pace of the disk. */
import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { extract } from 'rxtract';
import { events } from './sample.js';

const orders = extract(events).job('orders').readable({ as: 'bytes' });
await pipeline(orders, createGzip(), createWriteStream('orders.ndjson.gz'));

let lines = 0;
for await (const line of createInterface({ input: createReadStream('orders.ndjson.gz').pipe(createGunzip()) })) {
  if (lines === 0) console.log(line);
  lines += 1;
}
console.log(`${lines} orders in orders.ndjson.gz`);
