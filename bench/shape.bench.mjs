// What does it cost to compare each item with its shape? Whole processes in turn, CPU time (user and system) of a pull
// of 2,000 pages of 1,000 items into NDJSON: without a shape, and with that of the first page, which all items fit.
// With `drop` a batch is copied, because its sink may get another one. Other work on the machine changes CPU time less
// than wall time; read the ratio, which is that of two processes of the same round.
//
// Goal: at most 1.1 times the run without a shape.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { command, interleaved, machine, measure, middleOf, ratioOf, withServer } from './harness.mjs';

export const question = 'What does it cost to compare each item with its shape?';

const [pages, items] = [2000, 1000];
const bare = 'without a shape';

/** By name: what is added to the command. */
const variants = {
  [bare]: () => [],
  '--shape': (shape) => ['--shape', shape],
  '--shape, --on-drift drop': (shape) => ['--shape', shape, '--on-drift', 'drop'],
};

export async function run({ rounds = 9 } = {}) {
  const parent = await memoryFolder(items * pages * 500);
  return withServer({ pages, items }, (place) => compared(place, rounds), { parent });
}

/** A folder in memory, if the system has one with enough space: writing to a disk costs other processes time. */
async function memoryFolder(bytes) {
  const { bavail, bsize } = await statfs('/dev/shm').catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > bytes ? '/dev/shm' : undefined;
}

async function compared({ dir, config }, rounds) {
  const shape = join(dir, 'shape.json');
  await measure([command, 'shape', config, '--out', shape]);
  const file = join(dir, 'out', 'items.ndjson');
  const digests = new Set();
  const runs = await interleaved(Object.keys(variants), rounds, async (name) => {
    const words = [command, 'run', config, '--strict', '--quiet', '--to', `ndjson:${join(dir, 'out')}`];
    const measured = await measure([...words, '--allow', 'round-end', ...variants[name](shape)]);
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    digests.add(hash.digest('hex'));
    await rm(file);
    return measured;
  });
  if (digests.size !== 1) throw new Error('the variants write different bytes');
  return Object.entries(runs).map(([variant, own]) => {
    const { middle, text } = ratioOf(own, runs[bare], 'cpu');
    return {
      variant,
      'CPU s': +middleOf(own, 'cpu').toFixed(2),
      'CPU of the run without': middle,
      quartiles: text,
      'us a page': Math.round((middleOf(own, 'cpu') * 1e6) / pages),
    };
  });
}

const shaped = (rows) => rows.find(({ variant }) => variant === '--shape')['CPU of the run without'];

export const goals = (rows) => [
  { what: 'a run with --shape, of one without', goal: 1.1, value: shaped(rows), isLess: true },
];

export const reading = (rows) => [
  `Shapes: a run that compares each item with its shape takes ${shaped(rows)} times the CPU time of one that does not.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
