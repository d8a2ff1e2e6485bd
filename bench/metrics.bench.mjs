// What do metrics cost a run? All that they add to a page is called as a page of 1,000 items (345 kB in six chunks)
// calls it: the wrapped transport, the wrapped body, and a report of each wait, chunk and batch. The same calls without
// metrics are subtracted. The fastest of many short batches counts, because other work on the machine only adds. Whole
// pulls are measured in the same process, in the same way: CPU time of this process a page, to a file.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { createMetrics, extract } from 'rxtract';
import { observeRequests } from '../dist/src/http/observe-requests.js';
import { createProgressReporter } from '../dist/src/page/progress.js';
import { machine, withServer } from './harness.mjs';

export const question = 'What do metrics cost a run of pages of 1,000 items?';

const chunks = Array.from({ length: 6 }, () => new Uint8Array(57_500));
const slab = { count: 1000, bytes: new Uint8Array(345_000) };
const body = {
  async read(take) {
    for (const chunk of chunks) take(chunk);
  },
  cancel() {},
};
const response = { status: 200, headers: {}, contentType: 'application/json', isOpenEnded: false, body };
const request = { method: 'GET', url: 'http://127.0.0.1:8080/items?page=1' };

/** What the engine calls for a page. */
async function page(send, listener, job) {
  const progress = createProgressReporter('items', 0, listener);
  const whole = (async () => {
    progress.now('answer');
    const watch = job?.page(0);
    const { body } = await send(request, { watch });
    progress.now('page');
    await progress.reading(body).read((chunk) => {
      progress.received(chunk);
    });
    progress.now('turn');
    progress.now('sink');
    progress.taken(slab);
    watch?.commit().ends(undefined);
    watch?.succeeds({ count: 1000, bytes: 345_000 });
  })();
  progress.follow(whole);
  await whole;
}

const mask = (text) => text;

async function callsOf(metrics) {
  const send = async () => response;
  const observer = metrics?.observer(mask);
  const sending = observer === undefined ? send : observeRequests(send, { mask, maskUrl: mask }, () => true);
  const job = observer?.job('items');
  return fastest(200, 500, () => page(sending, observer?.onActivity, job));
}

/** Microseconds of one call, in the fastest of the batches. */
async function fastest(batches, calls, work) {
  let least = Number.POSITIVE_INFINITY;
  for (let batch = 0; batch < batches; batch++) {
    const begun = process.hrtime.bigint();
    for (let call = 0; call < calls; call++) await work();
    least = Math.min(least, Number(process.hrtime.bigint() - begun) / 1000 / calls);
  }
  return least;
}

export async function run({ pages = 100, rounds = 40 } = {}) {
  const begun = process.cpuUsage();
  const metrics = await createMetrics();
  const loading = msOf(process.cpuUsage(begun));
  await callsOf(metrics); // compiles what both have
  const [without, watched] = [await callsOf(undefined), await callsOf(metrics)];
  const beforeRead = process.cpuUsage();
  await metrics.registry.metrics();
  const reading = msOf(process.cpuUsage(beforeRead));
  const whole = await withServer({ pages, items: 1000 }, (place) => fastestPull(place, pages, rounds));
  const added = watched - without;
  return [
    { what: 'a page of a pull to a file, CPU us', value: Math.round(whole) },
    { what: 'what metrics add to a page, us', value: +added.toFixed(1) },
    { what: 'the same, %', value: +((added / whole) * 100).toFixed(1) },
    { what: 'loading prom-client once, CPU ms', value: Math.round(loading) },
    { what: 'reading /metrics once, CPU ms', value: +reading.toFixed(1) },
  ];
}

async function fastestPull(place, pages, rounds) {
  const configuration = JSON.parse(await readFile(place.config, 'utf8'));
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    const { receipts, closed } = extract(configuration, { to: `ndjson:${place.dir}` });
    await lastValueFrom(receipts);
    await closed;
    least = Math.min(least, (msOf(process.cpuUsage(before)) / pages) * 1000);
    await rm(join(place.dir, 'items.ndjson'), { force: true });
  }
  return least;
}

const msOf = ({ user, system }) => (user + system) / 1000;

const share = (rows) => rows[2].value;

export const goals = (rows) => [{ what: 'metrics, % of a page', goal: 2, value: share(rows), isLess: true }];

export const reading = (rows) => [
  `Metrics add ${rows[1].value} us to a page of 1,000 items, ${share(rows)} % of the CPU time of a pull to a file, and ${rows[3].value} ms of CPU time to the start of the process.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
