// How long does the command take to start, next to a bare Node? Processes in turn, each variant once a round; medians
// of wall time, so that a busy machine slows all alike. Read the ratios. `--version` and `--help` load the command line
// alone; `validate` loads the engine with rxjs and superstruct, `run` undici too.
//
// Goal: `--version` within twice a bare `node -e 0`. Node 20.20, 2 cores with other work on them, November 2026,
// medians of 21 rounds: --version 1.33 (130 ms to 98), --help 1.46, validate 5.3, run 7.5 (730 ms). Of what a run costs
// beyond Node, four fifths go into loading rxjs (223 files) and undici (110); the code of this package, all in all, is
// a twentieth.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, machine, median, scratch } from './harness.mjs';

export const question = 'How long does the command take to start, next to a bare Node?';

export async function run({ rounds = 21 } = {}) {
  const server = createServer((_, response) => response.end('[]'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await scratch(async (dir) => {
      const config = join(dir, 'config.json');
      const api = { baseUrl: `http://127.0.0.1:${server.address().port}/` };
      await writeFile(config, JSON.stringify({ api, config: { jobs: [{ endpoint: 'users' }] } }));
      const times = await inTurn(rounds, {
        'node -e 0': ['-e', '0'],
        'rxtract --version': [command, '--version'],
        'rxtract --help': [command, '--help'],
        'rxtract validate': [command, 'validate', config],
        'rxtract run, one empty page': [command, 'run', config, '--to', 'null:', '--quiet'],
      });
      const bare = median(times['node -e 0']);
      return Object.entries(times).map(([variant, each]) => ({
        variant,
        ms: Math.round(median(each)),
        ratio: +(median(each) / bare).toFixed(2),
      }));
    });
  } finally {
    server.close();
  }
}

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
