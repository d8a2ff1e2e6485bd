// From which size on does a page gain by a scan in another thread? CPU time of the main thread for a page, by the
// scheduler's own count (Linux), with the scan there and elsewhere; and what the start of a thread costs.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { threadId } from 'node:worker_threads';
import { nullSink } from '../dist/sinks/index.js';
import { sourceOf } from '../dist/src/core/util/byte-source.js';
import { createPageWriter } from '../dist/src/page/page-writer.js';
import { createProgressReporter } from '../dist/src/page/progress.js';
import { readPage } from '../dist/src/page/read-page.js';
import { createReplayGuard } from '../dist/src/page/stages/replay-guard.js';
import { startScanThread } from '../dist/src/page/threads/scan-thread.js';
import { machine, median } from './harness.mjs';

export const question = 'From which size on does a page gain by a scan in another thread?';

const sizes = [8, 16, 32, 64, 128, 256, 512, 1024].map((kib) => kib * 1024);
const chunkBytes = 64 * 1024;

/** CPU time of this thread in us; undefined except on Linux. */
function ownCpu() {
  if (process.platform !== 'linux' || threadId !== 0) return undefined;
  const [ns = ''] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(ns) / 1000;
}

/** CPU time of all threads in us. */
function allCpu() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

const item = JSON.stringify({
  id: 1_000_000,
  name: 'Customer Ünïcode',
  tags: ['alpha', 'beta'],
  note: 'x'.repeat(250),
});

function pageOf(bytes) {
  const count = Math.max(1, Math.round(bytes / (item.length + 1)));
  return Buffer.from(`{"data":[${Array.from({ length: count }, () => item).join(',')}],"next":"abc"}`);
}

/** The chunks come in turns of the loop, as from a socket. */
async function* arriving(body) {
  for (let from = 0; from < body.length; from += chunkBytes) {
    yield body.subarray(from, from + chunkBytes);
    await new Promise(setImmediate);
  }
}

/** Reads the page many times; returns us of CPU time a page, for this thread and for all. */
async function read(body, times, startThread) {
  const writer = createPageWriter({ job: 'a', dataType: 'a', run: 'r', walk: '0' });
  const options = {
    ...{ dataField: { kind: 'path', segments: ['data'], text: 'data' }, fingerprint: true, startThread },
    ...{ captures: [{ text: 'next', segments: ['next'] }], maxItemBytes: 1 << 26, maxCaptureBytes: 1 << 16 },
    batchBytes: 1 << 20,
  };
  const attempt = {
    ...{ page: 0, memo: undefined, room: Infinity, sink: nullSink(), delivered: createReplayGuard() },
    ...{ progress: createProgressReporter('a', 0, undefined), acquire: async () => () => {} },
    signal: new AbortController().signal,
  };
  const before = [ownCpu(), allCpu()];
  for (let time = 0; time < times; time++) {
    writer.begin(attempt);
    const { count } = await readPage(sourceOf(arriving(body)), writer, options);
    if (count === 0) throw new Error('the page was not read');
    writer.end();
  }
  return { own: (ownCpu() - before[0]) / times, all: (allCpu() - before[1]) / times };
}

/** How long a thread takes to start: ms of wall time, and of CPU time of all threads and of this one. */
async function start() {
  const [wall, own, all] = [performance.now(), ownCpu(), allCpu()];
  const thread = startScanThread(() => {});
  await thread.started;
  const cost = { ms: performance.now() - wall, own: (ownCpu() - own) / 1000, all: (allCpu() - all) / 1000 };
  return { thread, cost };
}

export async function run({ rounds = 9, megabytes = 16 } = {}) {
  const starts = [];
  for (let round = 0; round < rounds; round++) {
    const { thread, cost } = await start();
    starts.push(cost);
    await thread.close();
  }
  const { thread } = await start();
  const rows = [];
  for (const size of sizes) {
    const body = pageOf(size);
    const times = Math.max(16, Math.round((megabytes * 2 ** 20) / body.length));
    const runs = { here: [], there: [] };
    for (let round = 0; round < rounds; round++) {
      runs.here.push(await read(body, times, undefined));
      runs.there.push(await read(body, times, (options) => thread.start(options)));
    }
    const of = (way, what) => Math.round(median(runs[way].map((each) => each[what])));
    rows.push({
      'KiB a page': size / 1024,
      'here, us': of('here', 'own'),
      'elsewhere, us': of('there', 'own'),
      'all threads then, us': of('there', 'all'),
      ratio: +(of('there', 'own') / of('here', 'own')).toFixed(2),
    });
  }
  await thread.close();
  const cost = (what) => Math.round(median(starts.map((each) => each[what])));
  rows.push({ 'KiB a page': `start: ${cost('ms')} ms, CPU ${cost('all')} ms, of this thread ${cost('own')} ms` });
  return rows;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
