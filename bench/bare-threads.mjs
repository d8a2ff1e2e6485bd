// bare-scan.mjs with a second thread: this one reads the network, the other scans and writes, and a ring of shared
// memory is between them. Each page is requested after the scan of the one before, as a pull must.
// node bare-threads.mjs ORIGIN FILE
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Client } from 'undici';
import { copyShared } from '../dist/src/core/util/copy-shared.js';
import { startScan } from '../dist/src/page/scanner/scanner.js';
import { openSlabs, scanOptions } from './bare.mjs';

const slotBytes = 65536;
const slots = 64;
const [WRITTEN, READ, LENGTHS] = [0, 1, 16];
/** The length of a slot that ends a page, or the run. */
const [pageEnd, runEnd] = [-1, -2];

const open = (memory) => ({ words: new Int32Array(memory, 0, 1024), bytes: new Uint8Array(memory, 4096) });

function serve({ memory, target }) {
  const { words, bytes } = open(memory);
  const file = openSlabs(target);
  let scan = startScan(scanOptions);
  for (let read = 0, length = 0; length !== runEnd; read++) {
    while (Atomics.load(words, WRITTEN) === read) Atomics.wait(words, WRITTEN, read);
    const at = (read % slots) * slotBytes;
    length = words[LENGTHS + (read % slots)];
    if (length > 0) file.write(scan.feed(bytes.subarray(at, at + length)));
    Atomics.store(words, READ, read + 1);
    Atomics.notify(words, READ);
    if (length !== pageEnd) continue;
    file.write(scan.end());
    parentPort.postMessage(scan.count);
    scan.dispose();
    scan = startScan(scanOptions);
  }
  file.close();
}

async function pull([origin, target]) {
  const memory = new SharedArrayBuffer(4096 + slots * slotBytes);
  const { words, bytes } = open(memory);
  const worker = new Worker(new URL(import.meta.url), { workerData: { memory, target } });
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  await new Promise((resolve) => worker.once('online', resolve));
  let written = 0;
  const put = (part, length) => {
    for (let read = words[READ]; written - read >= slots; read = Atomics.load(words, READ))
      Atomics.wait(words, READ, read, 5);
    if (part !== undefined) copyShared(bytes, (written % slots) * slotBytes, part);
    words[LENGTHS + (written % slots)] = length;
    written += 1;
    Atomics.store(words, WRITTEN, written);
    Atomics.notify(words, WRITTEN);
  };
  const client = new Client(origin, { pipelining: 1 });
  const request = (page) =>
    new Promise((resolve, reject) => {
      client.dispatch(
        { path: `/items?page=${page}`, method: 'GET' },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData(_, chunk) {
            for (let from = 0; from < chunk.length; from += slotBytes) {
              const part = chunk.subarray(from, from + slotBytes);
              put(part, part.length);
            }
          },
          onResponseEnd() {
            worker.once('message', resolve);
            put(undefined, pageEnd);
          },
          onResponseError: (_, error) => reject(error),
        },
      );
    });
  for (let page = 1; (await request(page)) > 0; page++);
  put(undefined, runEnd);
  await ended;
  await client.close();
}

if (isMainThread) await pull(process.argv.slice(2));
else serve(workerData);
