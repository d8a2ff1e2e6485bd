// How far does a pull run ahead of a slow consumer, for each way to read it? A server in this process sends pages of
// 1,000 items of about 340 bytes and counts the requested pages and the sent bytes. The consumer pauses now and then
// until the server has been quiet for a while; the largest amount that was requested or sent, and not yet consumed, is
// the run-ahead. One page is always the current one. Bytes include the buffers of sockets (some MB on loopback), so
// they are measured on one long page, with whose size they do not grow.
import { once } from 'node:events';
import http from 'node:http';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { concatMap, from, lastValueFrom, mergeMap } from 'rxjs';
import { extract } from 'rxtract';
import { pull } from 'rxtract/operators';
import { machine } from './harness.mjs';

export const question = 'How far does a pull run ahead of a slow consumer, by face?';

const itemsPerPage = 1000;
const item = (id) => JSON.stringify({ id, name: `Customer ${id}`, note: 'x'.repeat(300) });
const pageOf = (page) =>
  `[${Array.from({ length: itemsPerPage }, (_, index) => item(1_000_000 + page * itemsPerPage + index)).join(',')}]`;
const bytesPerItem = item(1_000_000).length + 1;

/** What the server has sent and the consumer read; `most` are the largest differences seen. */
function createLedger() {
  const ledger = { pages: 0, bytes: 0, items: 0, most: { pages: 0, megabytes: 0 } };
  const look = () => {
    const pages = ledger.pages - Math.floor(ledger.items / itemsPerPage);
    const megabytes = (ledger.bytes - ledger.items * bytesPerItem) / 1e6;
    ledger.most = { pages: Math.max(ledger.most.pages, pages), megabytes: Math.max(ledger.most.megabytes, megabytes) };
  };
  /** The consumer pauses until nothing has moved for a while. */
  const stand = async () => {
    for (let before = -1; before !== ledger.pages + ledger.bytes; ) {
      before = ledger.pages + ledger.bytes;
      await setTimeout(20);
    }
    look();
  };
  return { ledger, look, stand };
}

async function startServer(ledger, pages, isLong) {
  const texts = [1, 2, 3, 4].map(pageOf);
  const server = http.createServer(async (request, response) => {
    const page = Number(new URL(request.url, 'http://localhost').searchParams.get('page') ?? 1);
    ledger.pages += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    const write = async (text) => {
      ledger.bytes += Buffer.byteLength(text);
      if (!response.write(text)) await once(response, 'drain').catch(() => {});
    };
    if (isLong)
      for (let n = 0; n < pages && !response.destroyed; n++)
        await write(`${n === 0 ? '[' : ','}${texts[n % 4].slice(1, -1)}`);
    else await write(page > pages ? '[' : pageOf(page).slice(0, -1));
    response.end(']');
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${server.address().port}/`, stop };
}

/** Consumes items one by one, pausing four times a page. */
const consuming =
  ({ ledger, look, stand }) =>
  async (count) => {
    const before = ledger.items;
    look();
    if (Math.floor(before / 250) !== Math.floor((before + count) / 250) || before === 0) await stand();
    ledger.items += count;
    look();
  };

const slowWritable = (consume, countOf) =>
  new Writable({
    objectMode: true,
    highWaterMark: 1,
    write: (chunk, _, done) => void consume(countOf(chunk)).then(() => done(), done),
  });
const linesIn = (chunk) => {
  let lines = 0;
  for (const byte of chunk) if (byte === 10) lines += 1;
  return lines;
};
const each = async (source, consume, countOf = () => 1) => {
  for await (const value of source) await consume(countOf(value));
};
const countOf = ({ count }) => count;

/** By name: how a job is consumed, and the promised bound in pages, besides the current one. */
const faces = {
  'for await of items()': (job, consume) => each(job.items(), consume),
  'for await of batches()': (job, consume) => each(job.batches(), consume, countOf),
  'batches({ batchBytes: 64 KiB })': (job, consume) => each(job.batches({ batchBytes: 65536 }), consume, countOf),
  'readable() into a Writable': (job, consume) =>
    pipeline(
      job.readable(),
      slowWritable(consume, () => 1),
    ),
  "readable({ as: 'bytes' }) into a Writable": (job, consume) =>
    pipeline(job.readable({ as: 'bytes' }), slowWritable(consume, linesIn)),
  "readable({ as: 'batches', highWaterMark: 4 })": (job, consume) =>
    each(job.readable({ as: 'batches', highWaterMark: 4 }), consume, countOf),
  'readable().map(async) of Node': (job, consume) =>
    each(
      job.readable().map(async (value) => value),
      consume,
    ),
  'pull(batches(), mergeMap(async, 4))': (job, consume) =>
    lastValueFrom(pull(job.batches(), (batch) => from(batch.values()).pipe(mergeMap(() => consume(1), 4)))),
  'observable() with a synchronous subscriber': (job, _, { ledger, look }) =>
    job.observable().forEach(() => {
      look();
      ledger.items += 1;
    }),
  'observable().pipe(concatMap(async))': (job, consume) =>
    lastValueFrom(job.observable().pipe(concatMap(() => consume(1)))),
};

async function measure(consumeFace, pages, isLong) {
  const book = createLedger();
  const server = await startServer(book.ledger, pages, isLong);
  const api = { baseUrl: server.origin, ...(isLong ? {} : { pagination: { method: 'pagenum' } }) };
  try {
    const [job] = extract({ api, config: { jobs: [{ endpoint: 'items' }] } }).jobs;
    await consumeFace(job, consuming(book), book);
    if (book.ledger.items !== pages * itemsPerPage) throw new Error(`${book.ledger.items} items came`);
    return book.ledger.most;
  } finally {
    server.stop();
  }
}

export async function run({ pages = 12, longPages = 60 } = {}) {
  const rows = [];
  for (const [face, consumeFace] of Object.entries(faces)) {
    const short = await measure(consumeFace, pages, false);
    const long = await measure(consumeFace, longPages, true);
    rows.push({
      face,
      [`pages asked ahead, of ${pages}`]: short.pages - 1,
      [`MB sent ahead, of ${Math.round((longPages * itemsPerPage * bytesPerItem) / 1e6)}`]: +long.megabytes.toFixed(1),
    });
  }
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
