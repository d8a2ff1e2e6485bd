// The bare scanner program: undici's dispatch handler, the built page scanner, one synchronous write a slab; no engine.
// It is what a page costs at least, with the same bytes scanned and written. node bare-scan.mjs ORIGIN FILE
import { closeSync, openSync, writeSync } from 'node:fs';
import { Client } from 'undici';
import { startScan } from '../dist/src/page/scanner/scanner.js';

const [origin, target] = process.argv.slice(2);

/** As the engine sets it: page number pagination captures nothing, but repeats are detected. */
const options = {
  dataField: { kind: 'path', segments: ['data'], text: 'data' },
  captures: [],
  batchBytes: 1 << 20,
  maxItemBytes: 64 << 20,
  maxCaptureBytes: 65536,
  fingerprint: true,
};

const client = new Client(origin, { pipelining: 1 });
const file = openSync(target, 'w');

function writeSlabs(events) {
  for (const { slab } of events) {
    for (let from = 0; slab && from < slab.bytes.length; ) from += writeSync(file, slab.bytes, from);
  }
}

/** Pulls one page into the file. Resolves with the number of its items. */
function pull(page) {
  const scan = startScan(options);
  return new Promise((resolve, reject) => {
    client.dispatch(
      { path: `/items?page=${page}`, method: 'GET' },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData: (_, chunk) => writeSlabs(scan.feed(chunk)),
        onResponseEnd() {
          writeSlabs(scan.end());
          resolve(scan.count);
          scan.dispose();
        },
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

for (let page = 1; (await pull(page)) > 0; page++);
closeSync(file);
await client.close();
