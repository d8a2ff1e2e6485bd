// What do metrics, traces and lineage cost whole pulls? The command pulls 5,000 pages of 1,000 items (345 kB) to a
// file: without anything, and with each of them, in turns, each in a process of its own. A pull is compared with the
// one without anything of its round. They are sent to a collector in another process, which drops them; traces while
// the pull goes on, and the end of a pull waits for the last of them. CPU time of the process counts; wall time is
// beside it.
import { fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleaved, machine, measure, median, middleOf, pullOf, withServer } from './harness.mjs';

export const question = 'What do metrics, traces and lineage cost whole pulls of pages of 1,000 items?';
export const isLong = true;

const names = ['nothing', 'metrics', 'traces', 'lineage'];

/** The options of a pull that is watched, and its variables. */
const watchOf = (origin) => ({
  nothing: {},
  metrics: { words: ['--metrics-push', origin] },
  traces: { env: { OTEL_EXPORTER_OTLP_ENDPOINT: origin } },
  lineage: { words: ['--lineage', origin] },
});

export async function run({ pages = 5000, rounds = 9 } = {}) {
  const collector = await startCollector();
  try {
    const watch = watchOf(collector.origin);
    const measured = await withServer({ pages, items: 1000 }, (place) =>
      interleaved(names, rounds, (name) => measureOne(place, pages, watch[name])),
    );
    const page = middleOf(measured.nothing, 'cpu') / pages;
    return [
      { what: 'a page of a pull without anything, CPU us', value: Math.round(page * 1e6) },
      ...names.slice(1).flatMap((name) => [
        { what: `${name}: CPU time, %`, ...addedBy(measured, name, 'cpu') },
        { what: `${name}: wall time, %`, ...addedBy(measured, name, 'seconds') },
      ]),
    ];
  } finally {
    await collector.stop();
  }
}

async function measureOne(place, pages, { words = [], env = {} }) {
  Object.assign(process.env, env);
  try {
    return await measure([...pullOf(place, pages), ...words]);
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    await rm(join(place.dir, 'items.ndjson'), { force: true });
  }
}

/**
 * What is added, in percent, within the same round: its median and its quartiles; and between the fastest pulls,
 * because other work on the machine only adds.
 */
function addedBy(measured, name, member) {
  const added = measured[name].map((each, round) => (each[member] / measured.nothing[round][member] - 1) * 100);
  const sorted = [...added].sort((a, b) => a - b);
  const quartile = (share) => sorted[Math.round((sorted.length - 1) * share)].toFixed(1);
  const least = Math.min(...measured[name].map((each) => each[member]));
  const without = Math.min(...measured.nothing.map((each) => each[member]));
  return {
    value: +median(added).toFixed(1),
    quartiles: `${quartile(0.25)} to ${quartile(0.75)}`,
    fastest: +((least / without - 1) * 100).toFixed(1),
  };
}

const path = fileURLToPath(import.meta.url);

async function startCollector() {
  const child = fork(path, ['collector']);
  const [origin] = await new Promise((resolve) => child.once('message', (...message) => resolve(message)));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    origin,
    stop() {
      child.disconnect();
      return ended;
    },
  };
}

/** The process of the collector: it drops what it gets. */
function dropAll() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  server.listen(0, '127.0.0.1', () => process.send(`http://127.0.0.1:${server.address().port}`));
  process.on('disconnect', () => process.exit());
}

const costOf = (rows, name) => rows.find(({ what }) => what === `${name}: CPU time, %`).value;

export const goals = (rows) =>
  names.slice(1).map((name) => ({
    what: `${name}, % of the CPU time of a pull`,
    goal: 2,
    value: costOf(rows, name),
    isLess: true,
  }));

export const reading = (rows) => [
  `Of the CPU time of a pull of 5,000 pages to a file, metrics add ${costOf(rows, 'metrics')} %, traces ${costOf(rows, 'traces')} %, and lineage ${costOf(rows, 'lineage')} %: medians of pairs, whose quartiles are the noise of the machine.`,
];

if (process.argv[1] === path) {
  if (process.argv[2] === 'collector') dropAll();
  else {
    console.log(machine());
    console.table(await run());
  }
}
