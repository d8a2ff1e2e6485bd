// What does a task of a shared run cost a worker beyond its requests? 300 children of a page, each a task of one small
// page (`--block 1`), by one worker, against one process that walks the same pages with `--state`. Needs PostgreSQL,
// like `npm run test:servers`: npm run bench -- tasks
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectReady, postgresMissing, startPostgres } from '../test/support/servers.ts';
import { command, interleaved, machine, measure, median, program, scratch } from './harness.mjs';

export const question = 'What CPU time does a task of one small page cost a worker, beyond that of its page?';
export const isLong = true;

const tasks = 300;
const outputs = ['postgres:', 'parts:'];
const mostMs = 10;

export async function run({ rounds = 3 } = {}) {
  if (postgresMissing !== undefined) throw new Error(postgresMissing);
  const server = await startPostgres();
  const api = await startApi();
  try {
    return await scratch(async (dir) => {
      const config = join(dir, 'config.json');
      await writeFile(config, JSON.stringify(configurationOf(api.address().port)));
      const place = { dir, config, address: `postgres://rx@127.0.0.1:${server.port}/postgres`, server };
      const measured = await interleaved(outputs, rounds, (output) => compared(output, place));
      return outputs.map((output) => rowOf(output, measured[output]));
    });
  } finally {
    api.close();
    api.closeAllConnections();
    await server.close();
  }
}

function rowOf(output, rounds) {
  const ms = (cpu) => +((cpu / tasks) * 1000).toFixed(1);
  const middle = (value) => ms(median(rounds.map(value)));
  return {
    output,
    tasks,
    'one process, CPU ms a page': middle(({ alone }) => alone),
    'worker, CPU ms a task': middle(({ worker }) => worker),
    'overhead of a task, CPU ms': middle(({ alone, worker }) => worker - alone),
    'worker, ms a task': middle(({ seconds }) => seconds),
  };
}

/** The CPU seconds of one process and of one worker, for the same pages. */
async function compared(output, place) {
  const folder = await mkdtemp(join(place.dir, 'round-'));
  const alone = await withTables(place, folder, output, (to) =>
    measure([command, 'run', place.config, '--quiet', '--to', to, '--state', join(folder, 'state')]),
  );
  const worker = await withTables(place, folder, output, (to, client) => shared({ ...place, folder, to, client }));
  return { alone: alone.cpu, ...worker };
}

/** Does the work with an empty output. Throws if not all items have arrived. */
async function withTables({ address, server }, folder, output, work) {
  const client = await connectReady(server.port);
  await client.query('DROP TABLE IF EXISTS parents, children');
  const parts = await mkdtemp(join(folder, 'parts-'));
  const used = await work(output === 'parts:' ? `parts:${parts}` : address, client);
  const found = output === 'parts:' ? await itemsIn(parts) : await rowsOf(client);
  await client.end();
  if (found !== tasks) throw new Error(`${found} items of ${tasks}`);
  return used;
}

const rowsOf = async (client) => (await client.query('SELECT count(*)::int AS count FROM children')).rows[0].count;

async function itemsIn(folder) {
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
  return manifest.dataTypes.find(({ dataType }) => dataType === 'children').items;
}

/** Submits the run, and has one worker do it. */
async function shared({ config, address, folder, to, client }) {
  const name = folder.split('-').at(-1);
  await measure([
    ...[command, 'run', config, '--quiet', '--to', to],
    ...['--on', address, '--block', '1', '--name', name, '--detach'],
  ]);
  const report = join(folder, 'usage.json');
  const started = process.hrtime.bigint();
  const words = ['--import', program('usage.mjs'), command, 'worker', address, '--slots', '1', '--quiet'];
  const worker = spawn(process.execPath, words, {
    env: { ...process.env, BENCH_USAGE: report },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await ended(client, name);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  worker.kill('SIGTERM');
  await once(worker, 'close');
  const { userCPUTime, systemCPUTime } = JSON.parse(await readFile(report, 'utf8'));
  return { seconds, worker: (userCPUTime + systemCPUTime) / 1e6 };
}

async function ended(client, name) {
  for (;;) {
    const { rows } = await client.query('SELECT ended IS NOT NULL AS ended FROM rxtract.runs WHERE name = $1', [name]);
    if (rows[0].ended) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const configurationOf = (port) => ({
  api: { baseUrl: `http://127.0.0.1:${port}/`, pagination: { method: 'pagenum', limit: tasks } },
  config: {
    jobs: [
      {
        endpoint: 'parents',
        dataType: 'parents',
        children: [{ endpoint: 'children/{id}', dataType: 'children', dataField: '.', placeholders: { id: 'id' } }],
      },
    ],
  },
});

function startApi() {
  const ids = Array.from({ length: tasks }, (_, index) => ({ id: index }));
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://x');
    const list = searchParams.get('page') === '1' ? ids : [];
    const page = pathname === '/parents' ? list : { of: pathname };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page));
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

export const goals = (rows) =>
  rows.map((row) => ({
    what: `${row.output}, CPU ms of a task beyond its page`,
    goal: mostMs,
    isLess: true,
    value: row['overhead of a task, CPU ms'],
  }));

export const reading = (rows) => [
  `Tasks: one of a single small page costs a worker ${rows
    .map((row) => `${row['overhead of a task, CPU ms']} ms of CPU time into \`${row.output}\``)
    .join(', ')}, beyond that of the page itself.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
