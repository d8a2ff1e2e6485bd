// What do requests ahead and early requests save? A server in its own process waits 50 ms before each response. The
// pages of `pagenum` (10 items each, 200 pages) are pulled one after the other and with `prefetch: 8`, within this
// process and as whole processes. Pages of a cursor (100 items) also take 50 ms for their body; the cursor is in the
// first tenth of the body, or its last member, with and without `overlap`. All variants run in turn; medians. The
// number of items is checked.
//
// Goal: `prefetch: 8` at least 7 times as fast as one page after the other within a process, and 6 times as whole
// processes. With `overlap` at most 0.6 of the time for an early cursor, at most 1.03 for a late one.
import { fork } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { run as pull } from 'rxtract';
import { command, machine, measure, median, scratch } from './harness.mjs';

export const question = 'How much time do requests ahead (`prefetch`) and early requests (`overlap`) save?';

const here = fileURLToPath(import.meta.url);
const latency = 50;
const pages = 200;
const cursorPages = 60;
const parts = 10;

const item = (id) => JSON.stringify({ id, name: `Customer ${id}`, note: 'x'.repeat(300) });
const itemsOf = (page, count) => Array.from({ length: count }, (_, index) => item(page * 1000 + index));

/** A page of 100 items whose body takes 50 ms; `next` is its first or its last member. */
async function writeSlowly(response, url) {
  const page = Number(url.searchParams.get('c') ?? 1);
  const next = `"next":${page < cursorPages ? page + 1 : null}`;
  const isFirst = url.pathname === '/first';
  const items = itemsOf(page, 100);
  response.write(isFirst ? `{${next},"items":[` : '{"items":[');
  for (let part = 0; part < parts; part += 1) {
    if (part > 0) await setTimeout(latency / (parts - 1));
    response.write(`${part > 0 ? ',' : ''}${items.slice(part * 10, part * 10 + 10).join(',')}`);
  }
  response.end(isFirst ? ']}' : `],${next}}`);
}

function serve() {
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url, 'http://localhost');
    await setTimeout(latency);
    response.setHeader('content-type', 'application/json');
    if (url.pathname !== '/pages') return writeSlowly(response, url);
    const page = Number(url.searchParams.get('page'));
    response.end(`[${itemsOf(page, page < pages ? 10 : 5).join(',')}]`);
  });
  server.listen(0, '127.0.0.1', () => process.send({ origin: `http://127.0.0.1:${server.address().port}/` }));
  process.once('disconnect', () => process.exit());
}

async function startOwnServer() {
  const child = fork(here, ['serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { origin } = await new Promise((resolve) => child.once('message', resolve));
  return { origin, stop: () => child.disconnect() };
}

const numbered = (prefetch) => ({ endpoint: 'pages', pagination: { method: 'pagenum', limit: 10, prefetch } });
const byCursor = (endpoint, overlap) => ({
  endpoint,
  dataField: 'items',
  pagination: { method: 'response.param', responseParam: 'next', queryParam: 'c', overlap },
});

/** By name: the job, its number of items, and how it is run. */
const variants = {
  'pagenum, one after the other': [numbered(0), pages * 10 - 5, 'inside'],
  'pagenum, prefetch 8': [numbered(8), pages * 10 - 5, 'inside'],
  'pagenum, prefetch auto': [numbered('auto'), pages * 10 - 5, 'inside'],
  'pagenum, one after the other, whole process': [numbered(0), pages * 10 - 5, 'whole'],
  'pagenum, prefetch 8, whole process': [numbered(8), pages * 10 - 5, 'whole'],
  'cursor first': [byCursor('first', false), cursorPages * 100, 'inside'],
  'cursor first, overlap': [byCursor('first', true), cursorPages * 100, 'inside'],
  'cursor last': [byCursor('last', false), cursorPages * 100, 'inside'],
  'cursor last, overlap': [byCursor('last', true), cursorPages * 100, 'inside'],
};

/** Each variant is compared with the last one before it of this kind. */
const isBase = (name) => !/prefetch|overlap/.test(name);

async function timed(config, count, way, dir) {
  if (way === 'inside') {
    const started = performance.now();
    const { jobs } = await pull(config);
    const ms = performance.now() - started;
    if (jobs[0].items !== count) throw new Error(`${jobs[0].items} items`);
    return ms;
  }
  const file = join(dir, 'config.json');
  await writeFile(file, JSON.stringify(config));
  const { seconds, output } = await measure([command, 'run', file, '--to', 'null:', '--log', 'json']);
  if (!output.includes(`"items":${count}`)) throw new Error(output);
  return seconds * 1000;
}

export async function run({ rounds = 3 } = {}) {
  const server = await startOwnServer();
  const times = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  try {
    await scratch(async (dir) => {
      for (let round = 0; round < rounds; round += 1) {
        for (const [name, [job, count, way]] of Object.entries(variants)) {
          const config = { api: { baseUrl: server.origin }, config: { jobs: [job] } };
          times[name].push(await timed(config, count, way, dir));
        }
      }
    });
  } finally {
    server.stop();
  }
  let base = 0;
  return Object.entries(times).map(([variant, each]) => {
    const ms = median(each);
    if (isBase(variant)) base = ms;
    const name = /prefetch/.test(variant) ? 'times as fast' : 'of the time';
    return {
      variant,
      ms: Math.round(ms),
      ...(isBase(variant) ? {} : { [name]: +(name === 'times as fast' ? base / ms : ms / base).toFixed(2) }),
    };
  });
}

const row = (rows, variant) => rows.find((each) => each.variant === variant) ?? {};
const [inside, whole] = ['pagenum, prefetch 8', 'pagenum, prefetch 8, whole process'];
const [early, late] = ['cursor first, overlap', 'cursor last, overlap'];

export const goals = (rows) => [
  { what: '`prefetch: 8` within a process', goal: 7, value: row(rows, inside)['times as fast'] },
  { what: '`prefetch: 8`, whole processes', goal: 6, value: row(rows, whole)['times as fast'] },
  { what: '`overlap`, cursor first, of the time', goal: 0.6, value: row(rows, early)['of the time'], isLess: true },
  { what: '`overlap`, cursor last, of the time', goal: 1.03, value: row(rows, late)['of the time'], isLess: true },
];

export const reading = (rows) => [
  `A slow API, with 50 ms to the first byte: \`prefetch: 8\` makes a pull ${row(rows, inside)['times as fast']} times as fast, and ${row(rows, whole)['times as fast']} times with the start of the process. It works with page numbers and offsets.`,
  `Cursors: where the cursor comes first in a body that takes 50 ms, \`overlap\` takes ${row(rows, early)['of the time']} of the time; where it comes last, ${row(rows, late)['of the time']}.`,
];

export const plot = (rows) => ({
  title: 'A slow API: ms of a pull (less is better)',
  bars: rows.map(({ variant, ms }) => ({ name: variant, value: ms, isOurs: /prefetch|overlap/.test(variant) })),
});

if (process.argv[2] === 'serve') serve();
else if (process.argv[1] === here) {
  console.log(machine());
  console.table(await run());
}
