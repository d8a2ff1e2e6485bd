// What does the second run cost if there is nothing new? Whole processes in turn, CPU time (user and system): a run
// with a state and `incremental` whose only page has one item, which it recognises, next to a run without either that
// reads the same page. Other work on the machine changes CPU time less than wall time; read the ratio.
//
// Goal: one request, and within 1.3 times the bare run.
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, interleaved, machine, measure, middleOf, ratioOf, scratch } from './harness.mjs';

export const question = 'What does a second run cost if there is nothing new?';

const page = JSON.stringify([{ id: 1, updated: '2026-01-01T00:00:00Z' }]);
const [bare, second] = ['one page, without a state', 'incremental, nothing new'];

export async function run({ rounds = 15 } = {}) {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.setHeader('content-type', 'application/json').end(page);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await scratch((dir) => compared(dir, server.address().port, { rounds, requests: () => requests }));
  } finally {
    server.close();
  }
}

async function compared(dir, port, { rounds, requests }) {
  const job = { endpoint: 'users', pagination: { method: 'pagenum', limit: 100 } };
  const incremental = { path: 'updated', param: 'since' };
  const argsOf = async (name, more, options) => {
    const config = join(dir, `${name}.json`);
    const document = { api: { baseUrl: `http://127.0.0.1:${port}/` }, config: { jobs: [{ ...job, ...more }] } };
    await writeFile(config, JSON.stringify(document));
    return [command, 'run', config, '--quiet', '--to', `ndjson:${join(dir, name)}?mode=append`, ...options];
  };
  const args = {
    [bare]: await argsOf('bare', {}, []),
    [second]: await argsOf('second', { incremental }, ['--state', join(dir, 'st'), '--resume']),
  };
  await measure(args[second]);
  const before = requests();
  const runs = await interleaved(Object.keys(args), rounds, (name) => measure(args[name]));
  if (readdirSync(join(dir, 'second')).length !== 1) throw new Error('a run has found something new');
  const perRun = (requests() - before) / Object.values(runs).flat().length;
  return Object.entries(runs).map(([variant, own]) => ({
    variant,
    'CPU ms': Math.round(middleOf(own, 'cpu') * 1000),
    'of the bare run': ratioOf(own, runs[bare], 'cpu').middle,
    'requests a run': perRun,
  }));
}

const secondOf = (rows) => rows.find(({ variant }) => variant === second);

export const goals = (rows) => [
  {
    what: 'a second run without news, of a bare one',
    goal: 1.3,
    value: secondOf(rows)['of the bare run'],
    isLess: true,
  },
  { what: 'its requests', goal: 1, value: secondOf(rows)['requests a run'], isLess: true },
];

export const reading = (rows) => [
  `The second run: if there is nothing new it is one request, and ${secondOf(rows)['of the bare run']} times the CPU time of a run of one page without a state.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
