// The bare scanner program: undici's dispatch handler, the built page scanner, one synchronous write a slab; no engine.
// It is what a page costs at least, with the same bytes scanned and written. node bare-scan.mjs ORIGIN FILE
import { Client } from 'undici';
import { startScan } from '../dist/src/page/scanner/scanner.js';
import { openSlabs, scanOptions } from './bare.mjs';

const [origin, target] = process.argv.slice(2);

const client = new Client(origin, { pipelining: 1 });
const file = openSlabs(target);

/** Pulls one page into the file. Resolves with the number of its items. */
function pull(page) {
  const scan = startScan(scanOptions);
  return new Promise((resolve, reject) => {
    client.dispatch(
      { path: `/items?page=${page}`, method: 'GET' },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_, chunk) => file.write(scan.feed(chunk)),
        onResponseEnd() {
          file.write(scan.end());
          resolve(scan.count);
          scan.dispose();
        },
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

for (let page = 1; (await pull(page)) > 0; page++);
file.close();
await client.close();
