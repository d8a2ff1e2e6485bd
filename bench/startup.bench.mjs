// How long does the command take to start, next to a bare Node? Processes in turn, each variant once a round; medians
// of wall time, so that a busy machine slows all alike. Read the ratios. `--version` and `--help` load the command line
// alone; the others load the engine. A pull of one page and the empty page after it is compared with bare-pull.mjs,
// which sends the same two requests by undici and writes the same file.
//
// Goal: `--version` and `--help` within 1.3 times `node -e 0`, the pull within 1.3 times the bare program.
// docs/decisions/024 has the figures and says what the rest of the time is.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, machine, median, scratch } from './harness.mjs';

export const question = 'How long does the command take to start, next to a bare Node?';

const bareProgram = fileURLToPath(new URL('bare-pull.mjs', import.meta.url));
const page = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ id, name: `user ${id}` })));

export async function run({ rounds = 21 } = {}) {
  const server = createServer(({ url }, response) => response.end(/page=1$/.test(url) ? page : '[]'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await scratch((dir) => compared(dir, `http://127.0.0.1:${server.address().port}`, rounds));
  } finally {
    server.close();
  }
}

async function compared(dir, origin, rounds) {
  const [config, bare, out] = ['config.json', 'bare.ndjson', 'out'].map((name) => join(dir, name));
  const api = { baseUrl: `${origin}/`, pagination: { method: 'pagenum', firstPageParams: true } };
  await writeFile(config, JSON.stringify({ api, config: { jobs: [{ endpoint: 'users' }] } }));
  const times = await inTurn(rounds, {
    'node -e 0': ['-e', '0'],
    'rxtract --version': [command, '--version'],
    'rxtract --help': [command, '--help'],
    'rxtract validate': [command, 'validate', config],
    'bare undici, two requests': [bareProgram, origin, bare],
    'rxtract run, the same two': [command, 'run', config, '--to', `ndjson:${out}`, '--quiet'],
  });
  if (!(await readFile(bare)).equals(await readFile(join(out, 'users.ndjson'))))
    throw new Error('the two pulls differ');
  const [node, undici] = ['node -e 0', 'bare undici, two requests'].map((name) => median(times[name]));
  return Object.entries(times).map(([variant, each]) => ({
    variant,
    ms: Math.round(median(each)),
    'to node': +(median(each) / node).toFixed(2),
    'to undici': +(median(each) / undici).toFixed(2),
  }));
}

const ms = (rows, variant) => rows.find((row) => row.variant === variant)?.ms;
const ratio = (rows, variant, other) => +(ms(rows, variant) / ms(rows, other)).toFixed(2);
const pull = (rows) => ratio(rows, 'rxtract run, the same two', 'bare undici, two requests');

export const goals = (rows) => [
  { what: '--version, of a bare Node', goal: 1.3, value: ratio(rows, 'rxtract --version', 'node -e 0'), isLess: true },
  { what: '--help, of a bare Node', goal: 1.3, value: ratio(rows, 'rxtract --help', 'node -e 0'), isLess: true },
  { what: 'a pull of two pages, of undici alone', goal: 1.3, value: pull(rows), isLess: true },
];

export const reading = (rows) => [
  `Start: a pull of two pages takes ${ms(rows, 'rxtract run, the same two')} ms as a whole process, ${pull(rows)} times a program with undici alone; Node itself needs ${ms(rows, 'node -e 0')} ms.`,
];

/** Wall ms of every variant in each round; the first round warms the disk and does not count. */
async function inTurn(rounds, variants) {
  const times = Object.fromEntries(Object.keys(variants).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, args] of Object.entries(variants)) {
      const ms = await timed(args);
      if (round > 0) times[name].push(ms);
    }
  }
  return times;
}

function timed(args) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(performance.now() - started);
      else reject(new Error(`${args.join(' ')} ended with ${code}`));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
