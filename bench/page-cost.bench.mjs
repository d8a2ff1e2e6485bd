// What does the engine add to a page, over the bare scanner program? Measures CPU time of the client's process, all its
// threads, in microseconds a page. `bare-scan.mjs` scans and writes the same bytes without an engine, so the difference
// is the cost of the engine, whatever the size of the page. The careful hand-written loop (`hand-loop.mjs`, `page`) is
// measured too. The server has its own process.
//
// A run pulls 4,000 pages in its own process. Cold are pages 1 to 2,000, most of which run before V8 has optimised the
// path; warm are pages 3,001 to 4,000. Start-up is in neither: the clock starts at the first request. Variants take
// turns, in reverse order in every other round; differences are within a round, medians over the rounds. CPU time, not
// wall time: wall time shifts by 120 us a page with the core on which the server runs. Differences below 20 us cold and
// 10 us warm are noise. Files are written to memory if there is space (/dev/shm), because the kernel may charge the
// work of a disk to any process.
//
// npm run bench -- page-cost --rounds 3 is a short look; fewer than nine rounds prove nothing.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { command, interleaved, machine, measure, median, program, withServer } from './harness.mjs';

export const question = 'What CPU time does the engine add to a page, over the bare scanner program?';

/** Most that the engine may add to a page, in microseconds. */
const budgets = { 10: { cold: 300, warm: 150 }, 1000: { cold: 250 } };

const pages = 4000;
/** Numbers of requests: each stretch is between two of them. The last request is for the empty page. */
const stretches = { cold: [1, 2001], warm: [3001, pages + 1] };
const marks = Object.values(stretches).flat();
const bare = 'bare scanner';

/** By name: the arguments of Node for the variant, and its output file. */
const variants = {
  rxtract: ({ dir, config }) => ({
    words: [command, 'run', config, '--quiet', '--to', `ndjson:${join(dir, 'out')}`],
    file: join(dir, 'out', 'items.ndjson'),
  }),
  'rxtract --state': ({ dir, config }) => ({
    words: [command, 'run', config, '--quiet', '--state', join(dir, 'st'), '--to', `ndjson:${join(dir, 'kept')}`],
    file: join(dir, 'kept', 'items.ndjson'),
  }),
  [bare]: ({ dir, origin }) => {
    const file = join(dir, 'bare.ndjson');
    return { words: [program('bare-scan.mjs'), origin, file], file };
  },
  'hand-written loop, page': ({ dir, origin }) => {
    const file = join(dir, 'loop.ndjson');
    return { words: [program('hand-loop.mjs'), origin, file, 'page'], file };
  },
};

export async function run({ rounds = 9 } = {}) {
  const rows = [];
  for (const items of [10, 1000]) rows.push(...(await compare(items, rounds)));
  return rows;
}

/** Measures all variants with so many items a page. */
async function compare(items, rounds) {
  const parent = await memoryFolder(items * pages * 1000);
  const compareThere = async (place) => {
    await mustAgree(place);
    const names = Object.keys(variants);
    const measured = await interleaved(names, rounds, (name) => pull(name, place));
    return names.map((name) => rowOf(name, items, measured));
  };
  return withServer({ pages, items }, compareThere, { parent });
}

/** A folder in memory, if the system has one with enough space. */
async function memoryFolder(bytes) {
  const { bavail, bsize } = await statfs('/dev/shm').catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > bytes ? '/dev/shm' : undefined;
}

/** All variants write the same bytes. */
async function mustAgree(place) {
  const digests = new Set();
  for (const name of Object.keys(variants)) {
    const { words, file } = variants[name](place);
    await measure(words);
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    digests.add(`${hash.digest('hex')} ${(await stat(file)).size}`);
    await rm(file);
  }
  if (digests.size !== 1) throw new Error('the variants write different bytes');
}

/** One run: microseconds of CPU a page, by stretch. */
async function pull(name, place) {
  const { words, file } = variants[name](place);
  const { cpuAt } = await measure(words, { marks });
  await rm(file);
  const entries = Object.entries(stretches).map(([stretch, [from, to]]) => {
    if (cpuAt[from] === undefined || cpuAt[to] === undefined) throw new Error(`${name} made fewer than ${to} requests`);
    return [stretch, ((cpuAt[to] - cpuAt[from]) * 1e6) / (to - from)];
  });
  return Object.fromEntries(entries);
}

/** Medians of the variant, and of its difference to the bare scanner in the same round. */
function rowOf(variant, items, measured) {
  const runs = measured[variant];
  const middle = (stretch) => Math.round(median(runs.map((run) => run[stretch])));
  const row = { items, variant, 'cold us': middle('cold'), 'warm us': middle('warm') };
  if (variant === bare) return row;
  const over = (stretch) => {
    const differences = runs.map((run, round) => run[stretch] - measured[bare][round][stretch]).sort((a, b) => a - b);
    const quartile = (share) => Math.round(differences[Math.floor((differences.length - 1) * share)]);
    return { middle: Math.round(median(differences)), text: `${quartile(0.25)} to ${quartile(0.75)}` };
  };
  const added = { cold: over('cold'), warm: over('warm') };
  return {
    ...row,
    'cold over bare': added.cold.middle,
    'quartiles, cold': added.cold.text,
    'warm over bare': added.warm.middle,
    'quartiles, warm': added.warm.text,
    ...(variant === 'rxtract' ? { budget: budgetText(items, added) } : {}),
  };
}

/** The budget, and whether it is met. */
const budgetText = (items, added) =>
  Object.entries(budgets[items])
    .map(([stretch, most]) => `${stretch} ${most}: ${added[stretch].middle <= most ? 'kept' : 'missed'}`)
    .join(', ');

const added = (rows, items, name) =>
  rows.find((row) => row.variant === 'rxtract' && row.items === items)?.[`${name} over bare`];

export const goals = (rows) =>
  Object.entries(budgets).flatMap(([items, stretches]) =>
    Object.entries(stretches).map(([stretch, goal]) => ({
      what: `CPU that the engine adds to a page of ${items} items, ${stretch}, us`,
      goal,
      value: added(rows, Number(items), stretch),
      isLess: true,
    })),
  );

export const reading = (rows) => [
  `The engine adds ${added(rows, 10, 'warm')} microseconds of CPU time to a warm page of ten items, and ${added(rows, 1000, 'cold')} to a cold one of 1,000 items, over a program that only scans and writes.`,
];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(machine());
  console.table(await run());
}
