// How much sooner is a run done by several workers? 300 requests of children of 200 ms, one at a time in each worker,
// into a table of the PostgreSQL that is the board too. Workers wait for the run already. Takes minutes and needs
// PostgreSQL, like `npm run test:servers`: npm run bench -- workers
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectReady, postgresMissing, startPostgres } from '../test/support/servers.ts';
import { command, interleaved, machine, measure, middleOf, ratioOf, scratch } from './harness.mjs';

export const question = 'How much sooner is a run of child requests of 200 ms done by several workers?';
export const isLong = true;

const latencyMs = 200;
const rows = 300;
const perPage = 100;
const alone = 'one process, --state';
const workersOf = { '1 worker': 1, '2 workers': 2, '4 workers': 4 };
const aims = { '1 worker': 1 / 1.15, '2 workers': 1.9, '4 workers': 3.2 };

export async function run({ rounds = 1 } = {}) {
  if (postgresMissing !== undefined) throw new Error(postgresMissing);
  const server = await startPostgres();
  const api = await startApi();
  try {
    return await scratch(async (dir) => {
      const config = join(dir, 'config.json');
      await writeFile(config, JSON.stringify(configurationOf(api.address().port)));
      const place = { dir, config, address: `postgres://rx@127.0.0.1:${server.port}/postgres`, server };
      const names = [alone, ...Object.keys(workersOf)];
      const measured = await interleaved(names, rounds, (name) => pull(name, place));
      return names.map((name) => ({
        variant: name,
        seconds: +middleOf(measured[name], 'seconds').toFixed(1),
        'times as fast': ratioOf(measured[alone], measured[name], 'seconds').middle,
      }));
    });
  } finally {
    api.close();
    api.closeAllConnections();
    await server.close();
  }
}

/** One pull into new tables. Throws if not all items have arrived. */
async function pull(name, { dir, config, address, server }) {
  const client = await connectReady(server.port);
  await client.query('DROP TABLE IF EXISTS parents, children');
  const words = [command, 'run', config, '--quiet', '--to', address];
  const count = workersOf[name];
  const workers = Array.from({ length: count ?? 0 }, () =>
    spawn(process.execPath, [command, 'worker', address, '--slots', '1', '--quiet'], { stdio: 'ignore' }),
  );
  await new Promise((resolve) => setTimeout(resolve, count === undefined ? 0 : 3000));
  const where = count === undefined ? ['--state', join(dir, 'state')] : ['--on', address, '--workers', '0'];
  const used = await measure([...words, ...where]);
  for (const worker of workers) {
    worker.kill('SIGTERM');
    await once(worker, 'close');
  }
  const { rows: found } = await client.query('SELECT count(*)::int AS count FROM children');
  await client.end();
  if (found[0].count !== rows) throw new Error(`${found[0].count} items of ${rows}`);
  return used;
}

const configurationOf = (port) => ({
  api: { baseUrl: `http://127.0.0.1:${port}/`, pagination: { method: 'pagenum', limit: perPage } },
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
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://x');
    const from = (Number(url.searchParams.get('page')) - 1) * perPage;
    const ids = Array.from({ length: Math.max(0, Math.min(perPage, rows - from)) }, (_, index) => from + index);
    const page = url.pathname === '/parents' ? ids.map((id) => ({ id })) : { of: url.pathname };
    setTimeout(() => response.setHeader('content-type', 'application/json').end(JSON.stringify(page)), latencyMs);
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

export const goals = (rows) =>
  Object.entries(aims).map(([name, goal]) => ({
    what: `${name}, of one process`,
    goal: +goal.toFixed(2),
    value: rows.find(({ variant }) => variant === name)['times as fast'],
  }));

export const reading = (rows) => [
  `Workers: ${rows
    .slice(1)
    .map(({ variant, 'times as fast': speed }) => `${variant} ${speed}`)
    .join(', ')} times as fast as one process with \`--state\`, at 200 ms a response and one request at a time each.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
